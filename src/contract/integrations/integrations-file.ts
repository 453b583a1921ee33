// The schema of INTEGRATIONS_FILE for both programs. Only onboarding reads the client.
import { z } from 'zod'
import type { Catalogue } from './catalogue.ts'
import { Profile } from './profile.ts'
import type { ProfileInput } from './profile-shape.ts'
import { IntegrationPolicy } from './tool-policy.ts'

/** Optional if the platform reads the file, or for an MCP server that allows registration. */
const Client = z.object({ clientId: z.string().min(1).max(500), clientSecret: z.string().min(1).max(2_000).optional() })
const Ignored = z.object({ clientId: z.unknown(), clientSecret: z.unknown() }).transform(() => undefined)

/** `catalogued`: the profile of the catalogue that the entry is based on. */
type FileEntry<C> = {
  profile: Profile
  client: C | undefined
  catalogued: string | undefined
  toolPolicy: IntegrationPolicy | undefined
}

const toolPolicyMember = z.object({ toolPolicy: IntegrationPolicy.optional() })

/** Not a union: a mistake in one member would report the errors of every alternative. */
const entryOf = <S extends z.ZodType>(catalogue: Catalogue, Client: S) =>
  z.record(z.string(), z.unknown()).transform((entry, context): FileEntry<z.output<S>> => {
    const { clientId, clientSecret, toolPolicy, ...rest } = entry
    const policy = toolPolicyMember.safeParse({ toolPolicy })
    const whole = mergedEntry(rest, catalogue)
    const client = isClientless(entry, whole)
      ? { success: true as const, data: undefined, error: undefined }
      : Client.safeParse({ clientId, clientSecret })
    const profile = whole ? Profile.safeParse(whole) : { success: false as const, error: notInCatalogue }
    const problems = [
      ...(client.error?.issues ?? []),
      ...(profile.error?.issues ?? []),
      ...(policy.error?.issues ?? []),
      ...listedProblems(entry, catalogue),
      ...nameProblems(entry, catalogue),
      ...pinProblems(client.data, whole),
    ]
    for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [...path], message })
    return client.success && profile.success && policy.success && problems.length === 0
      ? {
          profile: profile.data,
          client: client.data,
          toolPolicy: policy.data.toolPolicy,
          catalogued: rest.profile === undefined ? undefined : `${rest.profile}`,
        }
      : z.NEVER
  })

const isClientless = (
  { clientId, clientSecret }: Record<string, unknown>,
  whole: Record<string, unknown> | undefined,
) => clientId === undefined && clientSecret === undefined && whole?.mcpUrl !== undefined

/** The MCP server names the authorization server, which receives the client's secret. */
const pinProblems = (client: unknown, whole: Record<string, unknown> | undefined) =>
  client !== undefined && whole?.mcpUrl !== undefined && whole.issuer === undefined
    ? [{ path: ['issuer'], message: 'is required with mcpUrl and a client: the client is sent only there' }]
    : []

const notInCatalogue = { issues: [{ path: ['profile'], message: 'is not in the catalogue' }] }

/** `{ "profile": "gmail", … }` overrides members of a catalogue profile. Otherwise the entry is a complete profile. */
function mergedEntry(entry: Record<string, unknown>, catalogue: Catalogue): Record<string, unknown> | undefined {
  if (!('profile' in entry)) return entry
  const { profile, acceptListed: _, ...overrides } = entry
  const base = catalogue.get(String(profile))?.input()
  return base && { ...base, ...overrides, ...healthOf(base, overrides) }
}

const listedProblems = ({ profile, acceptListed }: Record<string, unknown>, catalogue: Catalogue) =>
  catalogue.get(String(profile))?.tier === 'listed' && acceptListed !== true
    ? [{ path: ['acceptListed'], message: 'must be true: this profile has only one source, so test it first' }]
    : []

const nameProblems = ({ profile, redirectUriName }: Record<string, unknown>, catalogue: Catalogue) =>
  catalogue.get(String(profile))?.about().callbackRules.named && redirectUriName === undefined
    ? [{ path: ['redirectUriName'], message: 'is required: the name that the app has given to the redirect URI' }]
    : []

/** Overriding `everySeconds` keeps the tool. */
const healthOf = (base: ProfileInput, { health }: Record<string, unknown>) =>
  typeof health === 'object' && health !== null ? { health: { ...base.health, ...health } } : {}

function rejectTwins(entries: FileEntry<unknown>[], context: z.core.$RefinementCtx) {
  const ids = entries.map(({ profile: { id } }) => id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) context.addIssue({ code: 'custom', path: [at, 'id'], message: 'is already used' })
  }
}

const fileOf = <S extends z.ZodType>(catalogue: Catalogue, Client: S) =>
  z
    .strictObject({ integrations: z.array(entryOf(catalogue, Client)).superRefine(rejectTwins) })
    .transform(({ integrations }) => integrations)

export const integrationsFile = (catalogue: Catalogue) => fileOf(catalogue, Client)

export const integrationsFileWithoutClients = (catalogue: Catalogue) => fileOf(catalogue, Ignored)
