// Builders that write through the ports only.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { ConnectSession } from '../../../src/onboarding/domain/connect-session.ts'
import type { Connection, LinkOutcome } from '../../../src/onboarding/domain/connection.ts'
import type { Link, LinkState, NewLink } from '../../../src/onboarding/domain/link.ts'
import type { Connections } from '../../../src/onboarding/domain/ports/connections.ts'
import type { ConnectSessions, NewSession } from '../../../src/onboarding/domain/ports/linking.ts'
import type { LinkChanges, Links } from '../../../src/onboarding/domain/ports/provisioning.ts'
import type { Seal, Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Tenants } from '../../../src/onboarding/domain/ports/tenants.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import type { KnownOrigin } from '../../../src/onboarding/domain/stored-grant.ts'
import type { Tenant } from '../../../src/onboarding/domain/tenant.ts'
import { auditEntry } from './audit-entries.ts'

type Ports = {
  tenants: Tenants
  sessions: ConnectSessions
  links: Links
  connections: Connections
  tokens: Tokens
  /** Needed only if grants are opened again. */
  seal?: Seal
}

export const returnUrl = 'https://acme.example/return'

export type Builders = ReturnType<typeof builders>

export function builders(ports: Ports) {
  const { tenants, sessions, links, connections, tokens } = ports

  const addTenant = async (id = 'acme', more: Partial<Tenant> = {}): Promise<Tenant> => {
    const tenant = { id, workspace: id, displayName: id, returnUrls: [returnUrl], ...more }
    return (await tenants.put(tenant, new Secret(`signing-${id}`), auditEntry('tenant.put', { tenant: id }))).tenant
  }

  const addSession = async (more: Partial<NewSession> = {}): Promise<ConnectSession & { token: string }> => {
    const token = tokens.fresh()
    const session: NewSession = {
      id: tokens.id('ses'),
      tenant: 'acme',
      integration: 'files',
      choices: undefined,
      endUser: { id: 'user-1', email: 'user@acme.example' },
      returnUrl,
      completionChallenge: undefined,
      inputs: {},
      connectionId: undefined,
      allowOtherAccount: false,
      ifConnected: 'add',
      ttlSeconds: 900,
      ...more,
    }
    const created = await sessions.create(session, tokens.digest(token), auditEntry('session.minted'))
    return { ...created, token }
  }

  const newLink = (session: ConnectSession, more: Partial<NewLink> = {}): NewLink => {
    const connectionId = session.connectionId ?? tokens.id('con')
    return {
      id: tokens.id('lnk'),
      sessionId: session.id,
      tenant: session.tenant,
      workspace: session.tenant,
      integration: session.integration ?? 'files',
      endUser: session.endUser,
      returnUrl: session.returnUrl,
      completionChallenge: session.completionChallenge,
      kind: session.connectionId ? 'relink' : 'first',
      allowOtherAccount: session.allowOtherAccount,
      ifConnected: session.ifConnected,
      browser: tokens.digest('browser'),
      config: {},
      connectionId,
      connectionName: `files-${connectionId}`,
      functionName: `files-${connectionId}`,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      expiresInSeconds: 900,
      ...more,
    }
  }

  const openLink = async (session: ConnectSession, more: Partial<NewLink> = {}): Promise<Link> => {
    const link = newLink(session, more)
    const opened = await links.open(link, auditEntry('link.started', { tenant: link.tenant, link: link.id }))
    if (!opened) throw new Error('the session cannot be started')
    return opened
  }

  const addLink = async (session: Partial<NewSession> = {}, more: Partial<NewLink> = {}): Promise<Link> =>
    openLink(await addSession(session), more)

  const move = async (link: Link, to: LinkState, changes: LinkChanges = {}): Promise<Link> => {
    const moved = await links.move(link, to, changes, auditEntry(`link.${to}`, { tenant: link.tenant, link: link.id }))
    if (!moved) throw new Error(`the link did not move to ${to}`)
    return moved
  }

  /** `raw`: the token response. */
  const escrow = async (link: Link, raw = 'granted', origin: KnownOrigin = {}): Promise<Link> => {
    const secret = new Secret(raw)
    const sealed = ports.seal?.seal(secret, sealContext.escrow(link)) ?? `sealed ${raw}`
    return move(await move(link, 'exchanging'), 'escrowed', {
      escrow: { sealed, fingerprint: tokens.fingerprint(secret), ...origin },
    })
  }

  const finish = (link: Link, changes: LinkChanges = {}, connected: Partial<LinkOutcome> = {}): Promise<Link> =>
    move(link, 'linked', {
      escrow: null,
      account: { id: 'account-1', label: 'user@files.example' },
      grantedScopes: ['files.read'],
      functionUrl: `https://functions.example/${link.functionName}`,
      connected: {
        checkInSeconds: 3_600,
        clientId: 'client-1',
        keepGrant: true,
        rotates: false,
        previousSeconds: undefined,
        ...connected,
      },
      ...changes,
    })

  const found = async (id: string): Promise<Connection> => (await connections.find(id)) as Connection

  const addConnection = async (
    session: Partial<NewSession> = {},
    changes: LinkChanges = {},
    connected: Partial<LinkOutcome> = {},
  ): Promise<Connection> => {
    const link = await finish(await escrow(await addLink(session), 'first grant'), changes, connected)
    return found(link.connectionId)
  }

  /** Replaces the grant; the old one becomes the previous grant. */
  const relink = async (
    connection: Connection,
    changes: LinkChanges = {},
    connected: Partial<LinkOutcome> = {},
  ): Promise<{ link: Link; connection: Connection }> => {
    const session = await addSession({ tenant: connection.tenant, connectionId: connection.id })
    const names = { connectionName: connection.name, functionName: connection.functionName }
    const escrowed = await escrow(await openLink(session, names), 'second grant')
    const link = await finish(escrowed, changes, { previousSeconds: 86_400, ...connected })
    return { link, connection: await found(connection.id) }
  }

  return { addTenant, addSession, newLink, openLink, addLink, move, escrow, finish, addConnection, relink, found }
}
