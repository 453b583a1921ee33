import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AuditTrail, operator } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { AccountRoles } from '../domain/account-member.ts'
import { hashOf } from '../domain/api-key.ts'
import { Email, KeyName, KeySeconds, Name, NewWorkspaceName, RedirectUri } from '../domain/command-options.ts'
import { unlimited } from '../domain/delegation.ts'
import type { Members } from '../domain/member.ts'
import { hashPassword } from '../domain/password.ts'
import type { ApiKeys, KeyOwner, OAuthClients, ServiceAccounts, SigningKeys, Tenancy, Users } from '../domain/ports.ts'
import { applyIdentity, IdentityDocument } from '../flows/apply-identity.ts'
import { bootstrap, rotateKeys } from '../flows/bootstrap.ts'
import { settledMember } from '../flows/manage-account-members.ts'
import { manageApiKeys } from '../flows/manage-api-keys.ts'
import { manageServiceAccounts } from '../flows/manage-service-accounts.ts'

type Needs = {
  tenancy: Tenancy
  apiKeys: ApiKeys
  users: Users
  members: Pick<Members, 'setGroups'>
  accountRoles: AccountRoles
  serviceAccounts: ServiceAccounts
  clients: OAuthClients
  /** Opened late: only rotation needs the encryption keys. */
  signingKeys: () => Promise<SigningKeys>
  rewrapSealed: () => Promise<RewrappedColumn[]>
  /** Migrations that this call of the command line has applied: every command first does what is missing. */
  migrated: readonly string[]
  auditTrail: AuditTrail
  addSampleUsage: () => Promise<number>
  readSecret: () => Promise<string>
  now: () => Date
}

/** `others`: values that another key still seals. */
type RewrappedColumn = { column: string; rewrapped: number; others: number }

export type Command = {
  options: z.ZodObject
  /** Only reads, so there is no audit entry. */
  reads?: true
  /** Its answer names what it changed and contains no secret: the audit entry includes it. */
  names?: true
  /** Too long for one transaction: it is done in steps, and what is done stays done if it is broken off. */
  inSteps?: true
  run(options: never, needs: Needs): Promise<unknown>
}

const command = <Options extends z.ZodRawShape>(
  options: Options,
  run: (options: z.infer<z.ZodObject<Options>>, needs: Needs) => Promise<unknown>,
) => ({ options: z.object(options), run })

const reading = <C extends object>(reader: C) => ({ ...reader, reads: true as const })

const stepping = <C extends object>(stepper: C) => ({ ...stepper, inSteps: true as const })

const naming = <C extends object>(namer: C) => ({ ...namer, names: true as const })

const Owner = { email: Email.optional(), 'service-account': z.string().optional() }

/** What an operator can do without a credential, because the database is theirs. */
export const commands = {
  /** As the role that owns the database, where the platform runs as one that cannot change tables. */
  migrate: reading(command({}, async (_options, { migrated }) => ({ applied: migrated }))),

  bootstrap: command(
    { account: Name, workspace: NewWorkspaceName, email: Email, 'key-name': KeyName.default('bootstrap') },
    async ({ account, workspace, email, 'key-name': keyName }, needs) => {
      const { accountId, apiKey } = await bootstrap(needs)({ account, workspace, email, keyName })
      return { accountId, workspace, apiKey: apiKey.reveal() }
    },
  ),

  /** Somebody who can be given a key or a password, and accept invitations. */
  'create-user': command({ email: Email }, async ({ email }, { tenancy }) => ({
    id: await tenancy.ensureUser(randomUUID(), email),
    email: email.toLowerCase(),
  })),

  /** All groups of a person in the directory of an account; workspaces map them to roles. */
  'set-groups': command(
    { account: Name, email: Email, group: z.array(z.string().min(1).max(255)).default([]) },
    async ({ account, email, group: groups }, { members }) => {
      if (!(await members.setGroups(account, email, groups))) {
        throw new Failure('resource_unknown', 'There is no such account, or no user has this address.')
      }
      return { email, groups }
    },
  ),

  /** Who sees the costs of a whole account, by workspace: its admins. Roles in workspaces are not touched. */
  'set-account-role': command(
    { account: Name, email: Email, role: z.enum(['admin', 'member', 'none']) },
    async ({ account, email, role }, { accountRoles }) => {
      const changed = await accountRoles.set(account, email, role === 'none' ? undefined : role)
      // Who is no member already stays none, so the command can be run again.
      if (changed !== 'no member') settledMember(changed, 'There is no such account, or no user with this address.')
      return { account, email, role }
    },
  ),

  /** The secret is shown once; with it the account gets tokens by client credentials. `create-key` makes keys for it. */
  'create-service-account': command(
    {
      workspace: Name,
      name: KeyName,
      role: z.enum(['admin', 'member']).default('member'),
      'account-wide': z.enum(['true', 'false']).default('false'),
    },
    async ({ workspace, name, role, 'account-wide': wide }, needs) => {
      const input = { name, role, description: '' }
      const accountWide = wide === 'true'
      const created = await manageServiceAccounts(needs).create(workspace, input, operator, unlimited, accountWide)
      const { clientId } = created.account
      return { clientId, clientSecret: created.secret.reveal(), workspace, name, role, accountWide }
    },
  ),

  'delete-service-account': command({ 'client-id': z.string() }, async ({ 'client-id': clientId }, needs) => {
    const deleted = await needs.serviceAccounts.removeAny(clientId, operator)
    if (!deleted) throw new Failure('resource_unknown', 'No service account has this id.')
    return { clientId, workspace: deleted.workspace, name: deleted.name }
  }),

  'set-password': command({ email: Email }, async ({ email }, { users, readSecret }) => {
    const password = await readSecret()
    if (password.length < 12) throw new Failure('input_invalid', 'Send a password of at least 12 characters on stdin.')
    if (!(await users.setPassword(email, await hashPassword(password)))) throw unknownUser()
    return { email }
  }),

  /** People and apps from a JSON document on standard input: what is missing is created, what is there is set right. */
  'apply-identity': naming(
    command({}, async (_options, needs) =>
      applyIdentity(needs)(IdentityDocument.parse(readJson(await needs.readSecret()))),
    ),
  ),

  'create-key': command(
    { ...Owner, name: KeyName, 'expires-in': KeySeconds.optional() },
    async ({ name, 'expires-in': expiresIn, ...owner }, needs) => {
      const { record, key } = await manageApiKeys(needs).create(
        await ownerOf(owner, needs),
        { name, expiresIn },
        operator,
        unlimited,
      )
      return { id: record.id, apiKey: key.reveal(), expiresAt: record.expiresAt }
    },
  ),

  'list-keys': reading(command(Owner, async (owner, needs) => manageApiKeys(needs).list(await ownerOf(owner, needs)))),

  /** Who changed what in a workspace, newest first. */
  audit: reading(
    command(
      { workspace: Name, limit: z.coerce.number().int().min(1).max(10_000).default(100) },
      async ({ workspace, limit }, { auditTrail }) => auditTrail.ofWorkspace(workspace, undefined, limit),
    ),
  ),

  'revoke-key': command({ ...Owner, id: z.string() }, async ({ id, ...owner }, needs) =>
    manageApiKeys(needs).revoke(await ownerOf(owner, needs), id, operator),
  ),

  /** Without `public` the app gets a secret; with it, it is one that cannot keep any. */
  'register-client': command(
    {
      name: KeyName,
      'redirect-uri': z.array(RedirectUri).default([]),
      public: z.enum(['true', 'false']).default('false'),
    },
    async ({ name, 'redirect-uri': redirectUris, public: isPublic }, { clients }) => {
      const clientId = `app-${randomUUID()}`
      const secret = isPublic === 'true' ? undefined : randomBytes(32).toString('base64url')
      await clients.add({ clientId, name, redirectUris, secretHash: secret === undefined ? undefined : hashOf(secret) })
      return { clientId, ...(secret !== undefined && { clientSecret: secret }) }
    },
  ),

  /** For a demo: a month of usage that was made up, of workspaces whose names begin with sample-. */
  sample: command({}, async (_options, { addSampleUsage }) => ({ addedEvents: await addSampleUsage() })),

  'rotate-signing-key': command({}, async (_options, { signingKeys, now }) =>
    rotateKeys({ signingKeys: await signingKeys(), now })(),
  ),

  /** Puts everything that is sealed under the first of ENCRYPTION_KEYS, while the platform runs. */
  'rotate-encryption': stepping(
    command({}, async (_options, { rewrapSealed }) => {
      const columns = await rewrapSealed()
      const others = columns.filter((column) => column.others > 0).map(({ column, others }) => `${column} (${others})`)
      if (others.length > 0) throw new Failure('sealed_unreadable', othersLeft(others))
      return { rewrapped: Object.fromEntries(columns.map(({ column, rewrapped }) => [column, rewrapped])) }
    }),
  ),
} satisfies Record<string, Command>

const othersLeft = (columns: string[]) =>
  `Some values are still sealed by another key than the first of ENCRYPTION_KEYS: ${columns.join(', ')}. Start every process with that list, with the keys that sealed them in it, and run this again.`

const unknownUser = () => new Failure('resource_unknown', 'No user has this address.')

async function ownerOf(
  owner: { email?: string | undefined; 'service-account'?: string | undefined },
  { users }: Pick<Needs, 'users'>,
): Promise<KeyOwner> {
  if (owner['service-account'] !== undefined) return { serviceAccountId: owner['service-account'] }
  if (owner.email === undefined) throw new Failure('input_invalid', 'Name an --email or a --service-account.')
  const user = await users.findByEmail(owner.email)
  if (!user) throw unknownUser()
  return { userId: user.id }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('input_invalid', 'Send one JSON document on stdin.')
  }
}
