import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { CostScope, ScopeFilters } from '../domain/cost-scope.ts'
import type { FindAccount, ListAccounts, Metrics } from '../domain/ports.ts'

export type FindCostScope = ReturnType<typeof findCostScope>

type Needs = { metrics: Pick<Metrics, 'accountOf'>; findAccount: FindAccount; listAccounts: ListAccounts }

export const findCostScope = ({ metrics, findAccount, listAccounts }: Needs) => ({
  accounts: listAccounts,

  account: async (caller: Caller, id: string): Promise<CostScope> => ({
    account: await findAccount(caller, id),
    filters: {},
  }),

  /** A workspace of somebody else is as missing as any. */
  async workspace(caller: Caller, workspace: string, resource: ScopeFilters = {}): Promise<CostScope> {
    const owner = await metrics.accountOf(workspace)
    const account = (await listAccounts(caller)).find(({ id }) => id === owner)
    if (!account) throw new Failure('resource_unknown', 'No workspace of yours has this name.')
    return { account, filters: { ...resource, workspace } }
  },
})
