/** The public API of `@votary/sdk/manage`. Everything that is not exported here may change at any time. */

export type { FetchLike } from '../connection.ts';
export {
  type IneligibilityReason,
  isVotaryError,
  type ManageErrorCode,
  VotaryError,
  type VotaryErrorCode,
} from '../errors/votary-error.ts';
export {
  type FieldFault,
  isVotaryValidationError,
  VotaryValidationError,
} from '../errors/votary-validation-error.ts';
export type { CallOptions, DateInput, GoalPeriod, Pagination } from '../types.ts';
export { VotaryManager } from './manager.ts';
export type { ManagerOptions } from './options.ts';
export type {
  Ban,
  BanPage,
  CastVote,
  Created,
  CreateOptions,
  DeleteGuildOptions,
  ErasedUser,
  GoalSetting,
  Guild,
  GuildChange,
  GuildPage,
  GuildSearch,
  ManageCallOptions,
  NewBan,
  NewGuild,
  NewVoid,
  NewVote,
  PageOptions,
  PlayerNameRule,
  UserExport,
  VoidResult,
  VoidSelection,
  VoteMark,
  WalkOptions,
} from './types.ts';
