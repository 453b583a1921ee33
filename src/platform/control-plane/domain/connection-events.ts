import { type CoreEvent, grantEventCodes } from '../../../contract/resource.ts'

type Events = readonly CoreEvent[]

export const isRevoked = ({ code, connection }: CoreEvent, name: string): boolean =>
  code === 'grant_revoked' && connection === name

export const lacksScope = ({ code, connection }: CoreEvent, name: string): boolean =>
  code === 'insufficient_scope' && connection === name

/** The last that says whether the grant of a connection works. */
export const lastGrantEvent = (events: Events, name: string): CoreEvent | undefined =>
  events.findLast(
    ({ code, connection }) => connection === name && (grantEventCodes as readonly unknown[]).includes(code),
  )

/** The last that says which tools the MCP server behind a connection has. */
export const lastToolEvent = (events: Events, name: string): CoreEvent | undefined =>
  events.findLast(({ toolListHash, connection }) => connection === name && toolListHash !== undefined)
