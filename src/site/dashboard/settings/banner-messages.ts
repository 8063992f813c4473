import type { Locale } from '../../../domain/locale.ts';
import { type BannerFault, MAX_SIDE_PIXELS, MAX_UPLOAD_MEGABYTES } from '../../banner/banner-encoder.ts';
import { BANNER_SIZE } from '../../banner/banner-size.ts';

export type BannerFormFault = BannerFault | 'bad-alt';

export const MAX_ALT_LENGTH = 200;

const SIZE = `${BANNER_SIZE.width} × ${BANNER_SIZE.height}`;

const en = {
  title: 'Banner',
  lead: 'A wide picture at the top of your public page and in link previews.',
  file: 'Picture',
  fileHint: `PNG, JPEG or WebP, up to ${MAX_UPLOAD_MEGABYTES} MB. Best ${SIZE} pixels: other pictures are scaled, and cut at the edges.`,
  alt: 'Description of the picture',
  altHint:
    'For people who cannot see it, up to 200 characters. Leave it empty if the picture is only decoration.',
  save: 'Save banner',
  remove: 'Remove banner',
  back: 'Back to settings',
  preview: 'Preview',
  current: 'This is how your public page begins.',
  none: 'Without a banner, your public page shows the colors of your icon.',
  /** Shown when a picture was chosen. */
  unsaved: 'This is a preview. Nothing has been saved yet.',
  wrong: 'The banner was not saved. Nothing was changed.',
  faults: {
    'no-file': 'Choose a picture.',
    'too-large': `The file is too large. Use at most ${MAX_UPLOAD_MEGABYTES} MB.`,
    'wrong-type': 'This is not a PNG, JPEG or WebP picture, or it is animated or incomplete.',
    'too-many-pixels': `The picture is too large. Use at most ${MAX_SIDE_PIXELS} pixels in width and height.`,
    unreadable: 'The picture could not be read. It may be damaged: save it again and retry.',
    busy: 'Several pictures are being processed right now. Try again in a few seconds.',
    'bad-alt': `Use one line of at most ${MAX_ALT_LENGTH} characters.`,
  } satisfies Record<BannerFormFault, string>,
};

const fr: typeof en = {
  title: 'Bannière',
  lead: 'Une image large en haut de votre page publique et dans les aperçus de liens.',
  file: 'Image',
  fileHint: `PNG, JPEG ou WebP, ${MAX_UPLOAD_MEGABYTES} Mo au maximum. Idéalement ${SIZE} pixels\u00A0: les autres images sont redimensionnées et rognées.`,
  alt: 'Description de l’image',
  altHint:
    'Pour les personnes qui ne peuvent pas la voir, 200 caractères au maximum. Laissez vide si l’image est purement décorative.',
  save: 'Enregistrer la bannière',
  remove: 'Supprimer la bannière',
  back: 'Retour aux paramètres',
  preview: 'Aperçu',
  current: 'Le début de votre page publique.',
  none: 'Sans bannière, votre page publique affiche les couleurs de votre icône.',
  unsaved: 'Ceci est un aperçu. Rien n’est encore enregistré.',
  wrong: 'La bannière n’a pas été enregistrée. Rien n’a été modifié.',
  faults: {
    'no-file': 'Choisissez une image.',
    'too-large': `Le fichier est trop volumineux\u00A0: ${MAX_UPLOAD_MEGABYTES} Mo au maximum.`,
    'wrong-type': 'Ce fichier n’est pas une image PNG, JPEG ou WebP, ou elle est animée ou incomplète.',
    'too-many-pixels': `L’image est trop grande\u00A0: ${MAX_SIDE_PIXELS} pixels au maximum en largeur et en hauteur.`,
    unreadable:
      'L’image n’a pas pu être lue. Elle est peut-être endommagée\u00A0: enregistrez-la de nouveau et réessayez.',
    busy: 'Plusieurs images sont en cours de traitement. Réessayez dans quelques secondes.',
    'bad-alt': `Une seule ligne de ${MAX_ALT_LENGTH} caractères au maximum.`,
  },
};

export const bannerMessages: Record<Locale, typeof en> = { en, fr };
