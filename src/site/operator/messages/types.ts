import type { VoteMark, VoteRefusal } from '../../../domain/votes/integrity.ts';
import type { OperatorAction } from '../../../store/moderation/moderation.ts';

export const OPERATOR_TABS = ['overview', 'communities', 'unusual', 'voided', 'bans', 'log'] as const;

export type OperatorTab = (typeof OPERATOR_TABS)[number];

const NOTICES = ['saved', 'voided', 'nothing-voided', 'restored', 'banned', 'unbanned'] as const;

export type OperatorNotice = (typeof NOTICES)[number];

export function isNotice(text: string | undefined): text is OperatorNotice {
  return NOTICES.some((known) => known === text);
}

/** Which votes the confirmation page offers to void. */
export type VoidChoice = 'user' | 'name' | 'network' | 'vote';

export type OperatorMessages = {
  title: string;
  tabs: Record<OperatorTab, string>;
  notices: Record<OperatorNotice, string>;
  marks: Record<VoteMark, string>;
  actions: Record<OperatorAction, string>;
  commandLine: string;
  /** After a label, before its value. */
  colon: string;
  time: string;
  who: string;
  what: string;
  community: string;
  user: string;
  name: string;
  reason: string;
  reasonHint: string;
  until: string;
  none: string;
  cancel: string;
  next: string;
  first: string;
  pages: string;
  atLeast: (count: string) => string;
  overview: {
    communities: string;
    communitiesHint: (sanctioned: string, unlisted: string) => string;
    votes: string;
    signIns: string;
    refused: string;
    bans: string;
    pending: string;
    pendingHint: string;
    today: string;
    week: string;
    month: string;
    perDay: string;
    refusals: Record<VoteRefusal, string>;
    noRefusals: string;
    failing: string;
    noFailing: string;
    endpoint: string;
    failingSince: string;
    disabled: string;
  };
  communities: {
    search: string;
    searchHint: string;
    find: string;
    empty: string;
    votes: string;
    premium: string;
    state: string;
    unlisted: string;
    hidden: string;
    sanctioned: string;
    rename: string;
    newName: string;
    save: string;
    listing: string;
    listingHint: string;
    unlist: string;
    relist: string;
    sanction: string;
    sanctionHint: string;
    sanctionSince: string;
    lift: string;
    premiumTitle: string;
    premiumUntil: string;
    premiumHint: string;
    votePage: string;
  };
  unusual: {
    hint: string;
    all: string;
    empty: string;
    marks: string;
    voidLink: string;
    banLink: string;
    actions: string;
  };
  voiding: {
    title: string;
    hint: string;
    choices: Record<VoidChoice, string>;
    count: (votes: string) => string;
    which: string;
    from: string;
    to: string;
    wrongPeriod: string;
    confirm: string;
    batch: string;
    votes: string;
    restore: string;
    restoredAt: string;
    empty: string;
  };
  bans: {
    ban: string;
    userId: string;
    wrongUser: string;
    wrongDate: string;
    continue: string;
    confirmTitle: string;
    confirmHint: string;
    untilHint: string;
    confirm: string;
    since: string;
    noEnd: string;
    lift: string;
    empty: string;
  };
  log: { hint: string; empty: string };
};
