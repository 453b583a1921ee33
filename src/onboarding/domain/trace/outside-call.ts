// Calls that a link made to other servers, as support sees them: which, when, for how long, and what came of them. There
// is no member for an address, a body or a header.

export const servers = ['provider', 'platform'] as const
export type Server = (typeof servers)[number]

/** Every call that is noted, and whose server answers it. */
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
  /** The HTTP status. Undefined if there was no answer, or none that can be told by a status. */
  status?: number | undefined
  /** A code of ours, of Node or of OpenSSL: never what the other side wrote. */
  error?: string | undefined
  durationMs: number
  /** Which try of the link's step it belonged to, from 1. */
  attempt: number
}

/** Whoever makes a call says so here, when it has ended. */
export type NoteCall = (call: Omit<OutsideCall, 'attempt'>) => void

/** Kept of one link: the newest. Most links make five. */
export const mostOutsideCalls = 40
