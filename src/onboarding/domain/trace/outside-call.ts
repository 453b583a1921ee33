// Without addresses, bodies and headers.

const servers = ['provider', 'platform'] as const
export type Server = (typeof servers)[number]

export const outsideCalls = {
  token: 'provider',
  token_exchange: 'provider',
  refresh: 'provider',
  userinfo: 'provider',
  revocation: 'provider',
  connection_create: 'platform',
  connection_read: 'platform',
  connection_replace: 'platform',
  connection_delete: 'platform',
  function_create: 'platform',
  function_read: 'platform',
  function_replace: 'platform',
  function_delete: 'platform',
  verification: 'platform',
} as const satisfies Record<string, Server>

export type OutsideCallName = keyof typeof outsideCalls

export const outsideCallNames = Object.keys(outsideCalls) as [OutsideCallName, ...OutsideCallName[]]

export type OutsideCall = {
  call: OutsideCallName
  at: Date
  status?: number | undefined
  /** An error code from our code, Node or OpenSSL. Never text from the other side. */
  error?: string | undefined
  durationMs: number
  attempt: number
}

export type NoteCall = (call: Omit<OutsideCall, 'attempt'>) => void

export const maxOutsideCalls = 40
