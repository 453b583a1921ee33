/** A socket that listens inside a command, passed outside. */
export type Listening = { close(): unknown }

/** How a confined command reaches the accounts that it may use. It holds no credential. */
export type AccountDoor = {
  /** Variables that stand for credentials. One of the tenant replaces them. */
  placeholders: Readonly<Record<string, string>>
  /** Certificates in PEM. */
  trust: string
  open(listening: Listening): void
  close(): void
}

/** The workload whose command it is. `functions` are those that its spec names now. */
export type AccountUser = {
  kind: 'sandbox' | 'job'
  id: string
  name: string
  workspace: string
  functions(): Promise<readonly string[]>
  lifeSeconds: number
}

/** Undefined if the spec names no functions. */
export type OpenAccounts = (user: AccountUser) => Promise<AccountDoor | undefined>

export const noAccountsInContainers =
  'Commands in containers cannot use accounts: remove spec.functions, or use a sandbox without an image.'

export const unconfinedAccounts = 'This platform cannot confine commands, so they cannot use accounts.'
