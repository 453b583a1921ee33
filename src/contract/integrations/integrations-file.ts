// The shape of INTEGRATIONS_FILE, one for both programs: onboarding links by it with the client, the platform refreshes
// and calls by it and leaves the client alone.
import { z } from 'zod'
import type { Catalogue } from './catalogue.ts'
import { Profile } from './profile.ts'
import type { ProfileInput } from './profile-shape.ts'

/** A client that is not read may be missing, too; so may one of an MCP server, where it can be registered. */
const Client = z.object({ clientId: z.string().min(1).max(500), clientSecret: z.string().min(1).max(2_000).optional() })
const Ignored = z.object({ clientId: z.unknown(), clientSecret: z.unknown() }).transform(() => undefined)

export type FileEntry<C> = { profile: Profile; client: C | undefined }

/** Told apart by hand: a union would answer a slip in one member with the mistakes of every alternative. */
const entryOf = <S extends z.ZodType>(catalogue: Catalogue, Client: S) =>
  z.record(z.string(), z.unknown()).transform((entry, context): FileEntry<z.output<S>> => {
    const { clientId, clientSecret, ...rest } = entry
    const whole = mergedEntry(rest, catalogue)
    const client = isClientless(entry, whole)
      ? { success: true as const, data: undefined, error: undefined }
      : Client.safeParse({ clientId, clientSecret })
    const profile = whole ? Profile.safeParse(whole) : { success: false as const, error: notInCatalogue }
    const problems = [
      ...(client.error?.issues ?? []),
      ...(profile.error?.issues ?? []),
      ...listedProblems(entry, catalogue),
      ...pinProblems(client.data, whole),
    ]
    for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [...path], message })
    return client.success && profile.success && problems.length === 0
      ? { profile: profile.data, client: client.data }
      : z.NEVER
  })

const isClientless = (
  { clientId, clientSecret }: Record<string, unknown>,
  whole: Record<string, unknown> | undefined,
) => clientId === undefined && clientSecret === undefined && whole?.mcpUrl !== undefined

/** The MCP server names the authorization server, and with it where the secret of this client goes. */
const pinProblems = (client: unknown, whole: Record<string, unknown> | undefined) =>
  client !== undefined && whole?.mcpUrl !== undefined && whole.issuer === undefined
    ? [{ path: ['issuer'], message: 'is needed beside mcpUrl where there is a client: the only server it is sent to' }]
    : []

const notInCatalogue = { issues: [{ path: ['profile'], message: 'is not in the catalogue' }] }

/** `{ "profile": "gmail", … }` changes members of a profile of the catalogue; without it the entry is a whole one. */
function mergedEntry(entry: Record<string, unknown>, catalogue: Catalogue): Record<string, unknown> | undefined {
  if (!('profile' in entry)) return entry
  const { profile, acceptListed: _, ...overrides } = entry
  const base = catalogue.get(String(profile))?.input()
  return base && { ...base, ...overrides, ...healthOf(base, overrides) }
}

/** A profile with a single source has to be accepted by the operator. */
const listedProblems = ({ profile, acceptListed }: Record<string, unknown>, catalogue: Catalogue) =>
  catalogue.get(String(profile))?.tier === 'listed' && acceptListed !== true
    ? [
        {
          path: ['acceptListed'],
          message: 'must be true: this profile is known from one source alone, so try it first',
        },
      ]
    : []

/** Who only changes the pace still wants the tool. */
const healthOf = (base: ProfileInput, { health }: Record<string, unknown>) =>
  typeof health === 'object' && health !== null ? { health: { ...base.health, ...health } } : {}

/** The later of two with one id would silently take the place of the other. */
function rejectTwins(entries: FileEntry<unknown>[], context: z.core.$RefinementCtx) {
  const ids = entries.map(({ profile: { id } }) => id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) context.addIssue({ code: 'custom', path: [at, 'id'], message: 'is taken by one before' })
  }
}

const fileOf = <S extends z.ZodType>(catalogue: Catalogue, Client: S) =>
  z
    .strictObject({ integrations: z.array(entryOf(catalogue, Client)).superRefine(rejectTwins) })
    .transform(({ integrations }) => integrations)

export const integrationsFile = (catalogue: Catalogue) => fileOf(catalogue, Client)

export const integrationsFileWithoutClients = (catalogue: Catalogue) => fileOf(catalogue, Ignored)
