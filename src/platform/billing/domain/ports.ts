import type { BillingDimension, Grouping, Resolution } from '../../../contract/billing/metrics.ts'
import type { Caller, Role } from '../../shared/domain/caller.ts'
import type { SharedPorts } from '../../shared/domain/ports.ts'
import type { EntryField } from './grouping.ts'
import type { Window } from './window.ts'

export type Filters = {
  workspace: string | undefined
  resourceType: string | undefined
  resourceName: string | undefined
  resourceUuid: string | undefined
  billingDimension: BillingDimension | undefined
}

export type Question = {
  accountId: string
  window: Window
  resolution: Resolution
  groupBy: readonly Grouping[]
  filters: Filters
}

/** Exact decimals. Usage is 0 if the grouping does not show it. */
export type Sum = { cost: string; usage: string }

export type Group = {
  key: string[]
  fields: Partial<Record<EntryField, string>>
  sum: Sum
  buckets: Map<number, Sum>
}

export type Page = { after?: string[] | undefined; limit: number; costliestFirst?: true }

export type Metrics = {
  read(question: Question, page: Page): Promise<{ total: Sum; groups: Group[] }>
  resourceTypes(accountId: string, window: Window): Promise<string[]>
  /** The account that pays for a workspace, even after the workspace is deleted. */
  accountOf(workspace: string): Promise<string | undefined>
}

export type Account = { id: string; name: string; role: Role }

/** Throws `resource_unknown` for other users' accounts. */
type FindAccount = (caller: Caller, accountId: string) => Promise<Account>

type ListAccounts = (caller: Caller) => Promise<Account[]>

export type Accruals = {
  accrue(until: Date): Promise<number>
  snapshots(): Promise<Array<{ meter: number; workspace: string; resourceId: string }>>
  setSize(meter: number, megabytes: number): Promise<void>
  /** Those that are billed by the configured size. */
  unmeasuredImages(): Promise<string[]>
  setImageSize(image: string, megabytes: number): Promise<void>
}

export type SnapshotSize = (workspace: string, resourceId: string) => Promise<number>

/** Undefined if it is not known. */
export type ImageSize = (image: string) => Promise<number | undefined>

export type BillingPorts = SharedPorts & {
  metrics: Metrics
  accruals: Accruals
  snapshotSize: SnapshotSize
  imageSize: ImageSize
  findAccount: FindAccount
  listAccounts: ListAccounts
}
