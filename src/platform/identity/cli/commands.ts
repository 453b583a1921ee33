import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AuditTrail, operator } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf } from '../domain/api-key.ts'
import { Email, KeyName, KeySeconds, Name, NewWorkspaceName, RedirectUri } from '../domain/command-options.ts'
import { unlimited } from '../domain/delegation.ts'
import type { AccountRoles, Members } from '../domain/member.ts'
import { hashPassword } from '../domain/password.ts'
import type { ApiKeys, KeyOwner, OAuthClients, ServiceAccounts, SigningKeys, Tenancy, Users } from '../domain/ports.ts'
import { applyIdentity, IdentityDocument } from '../flows/apply-identity.ts'
import { bootstrap, rotateKeys } from '../flows/bootstrap.ts'
import { settledMember } from '../flows/manage-accounts.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../flows/manage-api-keys.ts'
import { createServiceAccount } from '../flows/manage-service-accounts.ts'

type Needs = {
  tenancy: Tenancy
  apiKeys: ApiKeys
  users: Users
  members: Pick<Members, 'setGroups'>
  accountRoles: AccountRoles
  serviceAccounts: ServiceAccounts
  clients: OAuthClients
  signingKeys: () => Promise<SigningKeys>
  rewrapSealed: () => Promise<RewrappedColumn[]>
  /** Migrations applied by this call. Every command migrates first. */
  migrated: readonly string[]
  auditTrail: AuditTrail
  readSecret: () => Promise<string>
  now: () => Date
}

/** `others`: values still sealed by another key. */
type RewrappedColumn = { column: string; rewrapped: number; others: number }

export type Command = {
  options: z.ZodObject
  reads?: true
  /** The result names the changes without secrets, so the audit entry includes it. */
  names?: true
  /** Too long for one transaction. Completed steps stay. */
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

export const commands = {
  /** Run by the role that owns the tables if the platform's role can't change them. */
  migrate: reading(command({}, async (_options, { migrated }) => ({ applied: migrated }))),

  bootstrap: command(
    { account: Name, workspace: NewWorkspaceName, email: Email, 'key-name': KeyName.default('bootstrap') },
    async ({ account, workspace, email, 'key-name': keyName }, needs) => {
      const { accountId, apiKey } = await bootstrap(needs, { account, workspace, email, keyName })
      return { accountId, workspace, apiKey: apiKey.reveal() }
    },
  ),

  'create-user': command({ email: Email }, async ({ email }, { tenancy }) => ({
    id: await tenancy.ensureUser(randomUUID(), email),
    email: email.toLowerCase(),
  })),

  'set-groups': command(
    { account: Name, email: Email, group: z.array(z.string().min(1).max(255)).default([]) },
    async ({ account, email, group: groups }, { members }) => {
      if (!(await members.setGroups(account, email, groups))) {
        throw new Failure('resource_unknown', 'No such account, or no user has this email address.')
      }
      return { email, groups }
    },
  ),

  /** Account admins see the costs of all workspaces. Workspace roles are not changed. */
  'set-account-role': command(
    { account: Name, email: Email, role: z.enum(['admin', 'member', 'none']) },
    async ({ account, email, role }, { accountRoles }) => {
      const changed = await accountRoles.set(account, email, role === 'none' ? undefined : role)
      // Removing a non-member is a no-op.
      if (changed !== 'no member') settledMember(changed, 'No such account, or no user has this email address.')
      return { account, email, role }
    },
  ),

  /** Shows the secret once, for the client credentials grant. `create-key` creates API keys. */
  'create-service-account': command(
    {
      workspace: Name,
      name: KeyName,
      role: z.enum(['admin', 'member']).default('member'),
      'account-wide': z.enum(['true', 'false']).default('false'),
    },
    async ({ workspace, name, role, 'account-wide': wide }, needs) => {
      const input = { name, role, description: '', workspace }
      const accountWide = wide === 'true'
      const created = await createServiceAccount(needs, { ...input, by: operator, minter: unlimited, accountWide })
      const { clientId } = created.account
      return { clientId, clientSecret: created.secret.reveal(), workspace, name, role, accountWide }
    },
  ),

  'delete-service-account': command({ 'client-id': z.string() }, async ({ 'client-id': clientId }, needs) => {
    const deleted = await needs.serviceAccounts.removeAny(clientId, operator)
    if (!deleted) throw new Failure('resource_unknown', 'No service account has this ID.')
    return { clientId, workspace: deleted.workspace, name: deleted.name }
  }),

  'set-password': command({ email: Email }, async ({ email }, { users, readSecret }) => {
    const password = await readSecret()
    if (password.length < 12) throw new Failure('input_invalid', 'Send a password of at least 12 characters on stdin.')
    if (!(await users.setPassword(email, await hashPassword(password)))) throw unknownUser()
    return { email }
  }),

  'apply-identity': naming(
    command({}, async (_options, needs) =>
      applyIdentity(needs, IdentityDocument.parse(readJson(await needs.readSecret()))),
    ),
  ),

  'create-key': command(
    { ...Owner, name: KeyName, 'expires-in': KeySeconds.optional() },
    async ({ name, 'expires-in': expiresIn, ...owner }, needs) => {
      const wanted = { name, expiresIn, owner: await ownerOf(owner, needs), by: operator, minter: unlimited }
      const { record, key } = await createApiKey(needs, wanted)
      return { id: record.id, apiKey: key.reveal(), expiresAt: record.expiresAt }
    },
  ),

  'list-keys': reading(command(Owner, async (owner, needs) => listApiKeys(needs, await ownerOf(owner, needs)))),

  audit: reading(
    command(
      { workspace: Name, limit: z.coerce.number().int().min(1).max(10_000).default(100) },
      async ({ workspace, limit }, { auditTrail }) => auditTrail.ofWorkspace(workspace, undefined, limit),
    ),
  ),

  'revoke-key': command({ ...Owner, id: z.string() }, async ({ id, ...owner }, needs) =>
    revokeApiKey(needs, await ownerOf(owner, needs), id, operator),
  ),

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

  'rotate-signing-key': command({}, async (_options, { signingKeys, now }) => rotateKeys(await signingKeys(), now())),

  /** Reseals all values with the first of ENCRYPTION_KEYS while the platform runs. */
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
  `Some values are still sealed by another key than the first of ENCRYPTION_KEYS: ${columns.join(', ')}. Start every process with this list, including the keys that sealed them, and run the command again.`

const unknownUser = () => new Failure('resource_unknown', 'No user has this email address.')

async function ownerOf(
  owner: { email?: string | undefined; 'service-account'?: string | undefined },
  { users }: Pick<Needs, 'users'>,
): Promise<KeyOwner> {
  if (owner['service-account'] !== undefined) return { serviceAccountId: owner['service-account'] }
  if (owner.email === undefined) throw new Failure('input_invalid', 'Specify --email or --service-account.')
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
