// A link as it stood when its browser left for the provider, written small. It travels with the authorization, so
// that a callback need not ask the ledger first: the move that follows is refused when the link is not there any more.
import type { Link } from '../link.ts'

/** Complete, or it does not compile: a record from before a member was added has another length and is not used. */
const members = Object.keys({
  id: 0,
  sessionId: 0,
  tenant: 0,
  workspace: 0,
  integration: 0,
  endUser: 0,
  returnUrl: 0,
  relink: 0,
  importId: 0,
  allowOtherAccount: 0,
  ifConnected: 0,
  completionChallenge: 0,
  browser: 0,
  state: 0,
  cause: 0,
  resumeFrom: 0,
  forcedConsent: 0,
  missingScopes: 0,
  grantedScopes: 0,
  config: 0,
  account: 0,
  connectionId: 0,
  connectionName: 0,
  functionName: 0,
  functionUrl: 0,
  attempts: 0,
  nextAttemptAt: 0,
  fence: 0,
  takeovers: 0,
  traceparent: 0,
  createdAt: 0,
  updatedAt: 0,
} satisfies Record<keyof Link, 0>) as Array<keyof Link>

export const packLink = (link: Link): string => JSON.stringify(members.map((name) => link[name] ?? null))

export function unpackLink(text: string): Link | undefined {
  const values: unknown[] = JSON.parse(text)
  if (values.length !== members.length) return undefined
  const link: Record<string, unknown> = {}
  for (let at = 0; at < members.length; at++) link[members[at] as string] = values[at] ?? undefined
  const { createdAt, updatedAt } = link as Link
  return Object.assign(link as Link, { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) })
}
