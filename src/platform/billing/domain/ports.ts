import type { BillingDimension, Grouping, Resolution } from '../../../contract/billing/metrics.ts'
import type { Caller, Role } from '../../shared/domain/caller.ts'
import type { EntryField } from './grouping.ts'
import type { Window } from './window.ts'

/** A filter that is undefined does not restrict. */
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

/** Decimal digits, exact. */
export type Decimal = string

/** Usage is 0 where the grouping does not show it. */
export type Sum = { cost: Decimal; usage: Decimal }

export type Group = {
  /** The values it is grouped by, in canonical order; groups are sorted by it. */
  key: string[]
  fields: Partial<Record<EntryField, string>>
  sum: Sum
  /** Only buckets in which something was; by the time the bucket begins. */
  buckets: Map<number, Sum>
}

/** In the order of keys, after one of them; or the costliest first. */
export type Page = { after?: string[] | undefined; limit: number; costliestFirst?: true }

export type Metrics = {
  /** A page of groups, and the sum over all of them, from one snapshot. */
  read(question: Question, page: Page): Promise<{ total: Sum; groups: Group[] }>
  /** Types that have an event in the window. */
  resourceTypes(accountId: string, window: Window): Promise<string[]>
  /** Whose bill a workspace is on, also after it is gone. */
  accountOf(workspace: string): Promise<string | undefined>
}

export type Account = { id: string; name: string; role: Role }

/** Who is asking about which account; somebody else's account is not there. */
export type FindAccount = (caller: Caller, accountId: string) => Promise<Account>

export type ListAccounts = (caller: Caller) => Promise<Account[]>
