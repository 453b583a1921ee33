// The platform program on a real database, with one account and one workspace.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import { join } from 'node:path'
import request from 'supertest'
import { openPool } from '../../../src/kit/database/pool.ts'
import { type HttpServer, listen } from '../../../src/kit/http/http-server.ts'
import { type Adapters, assemble, openAdapters } from '../../../src/platform/compose.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { postgresApiKeys } from '../../../src/platform/identity/adapters/api-keys.ts'
import { postgresTenancy } from '../../../src/platform/identity/adapters/tenancy.ts'
import { hashOf } from '../../../src/platform/identity/domain/api-key.ts'
import { bootstrap } from '../../../src/platform/identity/flows/bootstrap.ts'
import { createTestDatabase, temporaryFolder } from '../processes/stores.ts'

type Options = { env?: NodeJS.ProcessEnv; integrations?: unknown[]; adapters?: Partial<Adapters> }

export type PlatformWorld = Awaited<ReturnType<typeof platformWorld>>

export async function platformWorld({ env = {}, integrations = [], adapters: replaced = {} }: Options = {}) {
  const databaseUrl = env.DATABASE_URL ?? (await createTestDatabase('platform'))
  const file = integrationsFile(integrations)
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('hex')}`,
    LOG_LEVEL: 'silent',
    INTEGRATIONS_FILE: file,
    RATE_KEY_PER_MINUTE: '1000000',
    RATE_FAILED_PER_MINUTE: '1000000',
    RATE_PREVIEW_PER_MINUTE: '1000000',
    DATA_FOLDER: temporaryFolder(),
    ...env,
  })
  const adapters = { ...(await openAdapters(config)), ...replaced }
  const { app, unreadable, operations, settle, verifyDomains, close } = assemble(config, adapters)
  const pool = openPool(databaseUrl)
  const ports = { tenancy: postgresTenancy(pool), apiKeys: postgresApiKeys(pool) }
  const enter = async (workspace: string, email: string, account = 'demo') => {
    const { accountId, apiKey } = await bootstrap(ports, { account, workspace, email, keyName: 'test' })
    return { accountId, workspace, key: apiKey.reveal() }
  }
  const join = async (workspace: string, email: string, role: 'admin' | 'member') => {
    const home = await enter(`home-of-${email.replace(/[^a-z]/g, '-')}`, email)
    await pool.query('insert into workspace_members select $1, id, $3 from users where email = $2', [
      workspace,
      email,
      role,
    ])
    return { ...home, workspace }
  }
  const addServiceAccount = async (clientId: string, role: 'admin' | 'member', secret: string, workspace = 'acme') => {
    await pool.query(
      `insert into service_accounts (client_id, workspace, name, role, secret_hash, created_by, updated_by)
       values ($1, $2, $1, $3, $4, 'test', 'test')`,
      [clientId, workspace, role, hashOf(secret)],
    )
  }
  const admin = await enter('acme', 'admin@acme.example')
  const servers: HttpServer[] = []
  // Keeps connections open: opening them takes longer than most responses.
  const own = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
  await once(own, 'listening')
  const connections = new Agent({ keepAlive: true })
  return {
    config,
    integrationsFile: file,
    app,
    operations,
    settle,
    verifyDomains,
    adapters,
    pool,
    admin,
    enter,
    join,
    addServiceAccount,
    /** A client for one key, workspace and API date. An empty date is not sent. */
    as({ key, workspace }: { key: string; workspace: string }, version = '2026-04-28') {
      const client = request
        .agent(own)
        .use((each: request.Test) => void each.agent(connections))
        .auth(key, { type: 'bearer' })
        .set('X-Service-Workspace', workspace)
      return version ? client.set('Service-Version', version) : client
    },
    async listen(port = 0): Promise<string> {
      const server = await listen(app, { host: '127.0.0.1', port, servesWebSockets: true, ...unreadable })
      servers.push(server)
      return `http://127.0.0.1:${server.port}`
    },
    async close() {
      await Promise.all(servers.map((server) => server.close(0)))
      own.close()
      connections.destroy()
      own.closeAllConnections()
      await close()
      await adapters.close()
      await pool.end()
    },
  }
}

type Api = ReturnType<PlatformWorld['as']>

export const createResource = (api: Api, path: string, name: string, spec: object = {}) =>
  api.post(`/v0/${path}`).send({ metadata: { name }, spec }).expect(200)

export const replaceResource = (api: Api, path: string, name: string, spec: object = {}) =>
  api.put(`/v0/${path}/${name}`).send({ metadata: { name }, spec }).expect(200)

export const keysOf = ({ config: { encryptionKeys } }: PlatformWorld): string =>
  [...encryptionKeys.keys].map(([id, key]) => `${id}:${key.reveal().toString('hex')}`).join(',')

function integrationsFile(integrations: unknown[]): string {
  const file = join(temporaryFolder(), 'integrations.json')
  writeFileSync(file, JSON.stringify({ integrations }))
  return file
}
