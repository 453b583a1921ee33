import type { Integration } from '../integration.ts'

type Served = Pick<Integration, 'client' | 'issuer' | 'endpoints' | 'mcpUrl'>

/** What a change does to connections that exist. */
export function breaks(before: Served | undefined, after: Served | undefined): string[] {
  if (!before) return []
  if (!after) return ['The integration is removed: they can’t be re-linked, checked or revoked']
  const [was, is] = [before.client?.id, after.client?.id]
  return [
    ...(was !== undefined && is === undefined ? ['There is no client any more: they can’t be re-linked'] : []),
    ...(was !== undefined && is !== undefined && was !== is
      ? [
          'The client is another one: they keep the old one, which must stay registered at the app until they are re-linked',
        ]
      : []),
    ...(serverOf(before) === serverOf(after)
      ? []
      : ['The authorization server is another one: their grants are not valid there']),
  ]
}

const serverOf = ({ issuer, endpoints, mcpUrl }: Omit<Served, 'client'>): string | undefined =>
  mcpUrl ?? endpoints?.token ?? issuer
