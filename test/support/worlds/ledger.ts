// A ledger on its own database, with builders.
import { randomBytes } from 'node:crypto'
import { sealedBox } from '../../../src/kit/crypto/sealed-box.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { preparedStatements } from '../../../src/kit/database/prepared.ts'
import { keyedTokens } from '../../../src/onboarding/adapters/crypto/tokens.ts'
import type { AuditAction } from '../../../src/onboarding/domain/audit/audit-actions.ts'
import type { EntryOf } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { postgresConnectSessions } from '../../../src/onboarding/linking/adapters/connect-sessions.ts'
import { rememberedSessions } from '../../../src/onboarding/linking/adapters/remembered-sessions.ts'
import { postgresLinks } from '../../../src/onboarding/provisioning/adapters/postgres/links.ts'
import { postgresTenants } from '../../../src/onboarding/tenants/adapters/tenants.ts'
import { createTestDatabase } from '../processes/stores.ts'

export type LedgerWorld = Awaited<ReturnType<typeof openLedger>>

export const audited = <Action extends AuditAction>(action: Action): EntryOf<Action> =>
  ({ action, actor: { kind: 'operator' }, subject: { kind: 'tenant', id: 'acme' }, facts: {} }) as EntryOf<Action>

export async function openLedger() {
  const pool = openPool(await createTestDatabase('onboarding'))
  const tokens = keyedTokens(new Secret(randomBytes(32)))
  const box = sealedBox({ primary: 'test', keys: new Map([['test', new Secret(randomBytes(32))]]) })
  const run = preparedStatements(pool)
  const tenants = postgresTenants(pool, box, tokens)
  const sessions = rememberedSessions(postgresConnectSessions(pool, run), () => new Date())
  const links = postgresLinks(pool, run)

  const addTenant = async (id: string) => {
    const tenant = { id, workspace: id, displayName: id, returnUrls: ['https://acme.example/'] }
    await tenants.put(tenant, new Secret('signing'), audited('tenant.put'))
  }

  const addLink = async (tenant: string, expiresInSeconds = 900): Promise<Link> => {
    const returnUrl = 'https://acme.example/'
    const about = {
      tenant,
      integration: 'provider',
      endUser: { id: 'user-1' },
      returnUrl,
      completionChallenge: undefined,
      inputs: {},
      allowOtherAccount: false,
      ifConnected: 'add' as const,
      choices: undefined,
    }
    const session = { id: tokens.id('ses'), ...about, connectionId: undefined, ttlSeconds: 900 }
    await sessions.create(session, tokens.digest(session.id), audited('session.minted'))
    const [id, connectionId] = [tokens.id('lnk'), tokens.id('con')]
    const names = { connectionId, connectionName: connectionId, functionName: connectionId }
    const started = { ...audited('link.started'), link: id }
    const link = {
      id,
      sessionId: session.id,
      ...about,
      workspace: tenant,
      browser: 'browser',
      kind: 'first' as const,
      config: {},
      ...names,
      expiresInSeconds,
    }
    return (await links.open(link, started)) as Link
  }

  /** Makes a link due that many seconds ago. */
  const letBeDue = (link: Link, secondsAgo = 0) =>
    pool.query(`update links set due_at = now() - make_interval(secs => $2) where id = $1`, [link.id, secondsAgo])

  return { pool, close: () => pool.end(), links, addTenant, addLink, letBeDue }
}
