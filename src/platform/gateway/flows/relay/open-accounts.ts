import type { AccountDoor, AccountUser, OpenAccounts } from '../../../shared/domain/account-door.ts'
import type { Caller } from '../../../shared/domain/caller.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { accountAt, hostsOf } from '../../domain/relay/relay.ts'
import type { RelayAccount, RelayFunction } from './relay-request.ts'

type OpenProxy = (user: AccountUser) => Promise<Omit<AccountDoor, 'placeholders'>>

export const openAccounts =
  (open: OpenRelay, openProxy: OpenProxy): OpenAccounts =>
  async (user) => {
    if ((await user.functions()).length === 0) return undefined
    const placeholders = placeholdersFor(await accountsOf(open, user))
    return { ...(await openProxy(user)), placeholders }
  }

export type Accounts = { functions: readonly RelayFunction[]; closed: readonly string[] }

export type OpenRelay = (workspace: string, name: string) => Promise<RelayFunction>

/** Read for each request, because a grant may end while a command runs. A function that is gone closes its hosts only. */
export async function accountsOf(open: OpenRelay, { workspace, functions }: AccountUser): Promise<Accounts> {
  const names = await functions()
  const opened = await Promise.all(names.map((name) => open(workspace, name).catch(undefinedIfClosed)))
  return {
    functions: opened.flatMap((each) => each ?? []),
    closed: names.filter((_, at) => opened[at] === undefined),
  }
}

function undefinedIfClosed(error: unknown): undefined {
  const isClosed = error instanceof Failure && closedCodes.has(error.code)
  if (!isClosed) throw error
}

const closedCodes = new Set(['resource_unknown', 'workload_unavailable'])

/** Undefined if the host is open. */
export function refusalOf({ functions, closed }: Accounts, { kind }: AccountUser, host: string): string | undefined {
  const hosts = hostsOf(accountsIn(functions))
  if (hosts.includes(host)) return undefined
  const open = hosts.length > 0 ? `It may reach ${hosts.join(', ')}.` : 'It may reach no host.'
  const missing = closed.length > 0 ? ` Not deployed: ${closed.join(', ')}.` : ''
  return `${host} is not open to this ${kind}. ${open}${missing} spec.functions of the ${kind} names the functions.`
}

export function functionAt(accounts: Accounts, user: AccountUser, host: string): RelayFunction {
  const refusal = refusalOf(accounts, user, host)
  if (refusal !== undefined) throw new Failure('role_missing', refusal)
  const { functionName } = accountAt(accountsIn(accounts.functions), host)
  return accounts.functions.find(({ name }) => name === functionName) as RelayFunction
}

const accountsIn = (functions: readonly RelayFunction[]): RelayAccount[] =>
  functions.flatMap(({ accounts }) => accounts)

/** A workload acts for itself: nobody is present who could be asked for an approval. */
export const callerOf = ({ kind, id, name, workspace }: AccountUser): Caller => ({
  kind: 'service_account',
  id,
  label: `${kind} ${name}`,
  credential: `${kind}:${id}`,
  scopes: new Set(),
  workspace,
})

const placeholder = 'placeholder-of-causeway'

/** One variable for each app, such as `GITHUB_TOKEN`. */
const placeholdersFor = ({ functions }: Accounts): Record<string, string> =>
  Object.fromEntries(
    accountsIn(functions).map(({ integration }) => [
      `${integration.id.toUpperCase().replaceAll('-', '_')}_TOKEN`,
      placeholder,
    ]),
  )
