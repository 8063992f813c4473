/** The public API of `@votary/sdk`. Everything that is not exported here may change at any time. */

export type { FetchLike } from './connection.ts';
export { isVotaryError, VotaryError, type VotaryErrorCode } from './errors/votary-error.ts';
export {
  type FieldFault,
  isVotaryValidationError,
  VotaryValidationError,
} from './errors/votary-validation-error.ts';
export type { VotaryOptions } from './options.ts';
export type {
  CallOptions,
  ClaimableVote,
  ClaimedVote,
  ClaimOptions,
  ClaimOverview,
  ClaimResult,
  ClaimsOptions,
  DateInput,
  FeedOptions,
  FeedPage,
  FeedVote,
  Goal,
  GoalPeriod,
  GoalStatus,
  HeldClaim,
  Leaderboard,
  LeaderboardOptions,
  Pagination,
  PendingOptions,
  Period,
  ReleaseOptions,
  UserVotePage,
  Vote,
  VoteCheck,
  VotePage,
  VotePageOptions,
  VoterIdentities,
  VoterIdentity,
  VoteSpanOptions,
} from './types.ts';
export { Votary } from './votary.ts';
export type { VoteLinkOptions } from './vote-link.ts';
export type {
  GoalReachedEvent,
  RewardGrantedEvent,
  SampleEvent,
  UnknownEvent,
  VoteAvailableEvent,
  VoteReceivedEvent,
  VoteVoidedEvent,
  WebhookEvent,
  WebhookTestEvent,
} from './webhook/event.ts';
export { type WebhookHandler, type WebhookHandlerOptions, webhookHandler } from './webhook/handler.ts';
export type { WebhookHeaders } from './webhook/headers.ts';
export type { WebhookRefusalReason } from './webhook/refusal.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookSecret,
  type WebhookVerification,
} from './webhook/verify.ts';
