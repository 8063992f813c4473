import type { Locale } from '../../domain/locale.ts';

type ClientsMessages = {
  title: string;
  lead: string;
  guide: string;
  checksums: string;
  checksumsLead: string;
  file: string;
  size: string;
  kilobytes: string;
  notPacked: string;
  noPlugin: string;
  or: string;
};

const en: ClientsMessages = {
  title: 'Client libraries',
  lead: 'Files without dependencies, made for the version that this site runs. Keep your own copy: a new version of the site replaces them.',
  guide: 'guide',
  checksums: 'Checksums',
  checksumsLead: 'Compare them with the output of sha256sum, or check all files with sha256sum --check:',
  file: 'File',
  size: 'Size',
  kilobytes: 'kB',
  notPacked:
    'This site runs from a clone of the repository, and the SDK could not be packed; the log says why. Pack it in the clone, and install the file in your project:',
  noPlugin:
    'The plugin is part of the installed package. This site runs from a clone of the repository, or its package was built without a JDK. Build the plugin in a clone, with a JDK 17 or newer:',
  or: 'or',
};

const fr: ClientsMessages = {
  title: 'Bibliothèques clientes',
  lead: 'Des fichiers sans dépendances, faits pour la version que ce site utilise. Gardez votre propre copie\u00A0: une nouvelle version du site les remplace.',
  guide: 'guide',
  checksums: 'Sommes de contrôle',
  checksumsLead:
    'Comparez-les avec le résultat de sha256sum, ou vérifiez tous les fichiers avec sha256sum --check\u00A0:',
  file: 'Fichier',
  size: 'Taille',
  kilobytes: 'ko',
  notPacked:
    'Ce site est lancé depuis un clone du dépôt, et le SDK n’a pas pu être empaqueté\u00A0; le journal dit pourquoi. Empaquetez-le dans le clone, puis installez le fichier dans votre projet\u00A0:',
  noPlugin:
    'Le plugin fait partie du paquet installé. Ce site est lancé depuis un clone du dépôt, ou son paquet a été construit sans JDK. Construisez le plugin dans un clone, avec un JDK 17 ou plus récent\u00A0:',
  or: 'ou',
};

export const clientsMessages: Record<Locale, ClientsMessages> = { en, fr };
