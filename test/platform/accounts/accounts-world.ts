// A workspace whose sandboxes and jobs may use one linked account.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import type { ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'
import { hostileProvider, secrets } from './hostile-provider.ts'

type Ran = { stdout: string; stderr: string; exitCode?: number; ended?: string }

export async function accountsWorld(rules: ToolRule[] = [], runtimes: object[] = []) {
  const provider = await hostileProvider()
  const policy = join(temporaryFolder(), 'policy.json')
  writeFileSync(policy, JSON.stringify({ rules }))
  const world = await jobWorld({ integrations: [provider.integration], runtimes, env: { TOOL_POLICY_FILE: policy } })
  const { platform, api } = world
  const address = await platform.listen()
  const link = (name: string) =>
    api.post('/v0/integrations/connections').send({
      metadata: { name },
      spec: {
        integration: 'code-host',
        secret: { CLIENT_ID: 'c', CLIENT_SECRET: secrets.clientSecret, REFRESH_TOKEN: secrets.refreshToken },
      },
    })
  await link('ada').expect(200)
  await createResource(api, 'functions', 'code', { type: 'mcp', integrationConnections: ['ada'], runtime: {} })
  const envs = Object.entries({
    API: `https://${provider.host}`,
    ATTACKER: provider.attackerHost,
    PLATFORM: new URL(address).host,
  }).map(([name, value]) => ({ name, value }))
  const sandbox = (name: string, spec: object = {}) =>
    createResource(api, 'sandboxes', name, { runtime: { memory: 512, envs }, functions: ['code'], ...spec })
  const run = async (name: string, command: string, key = platform.admin.key): Promise<Ran> => {
    const { body } = await request(platform.app)
      .post(`/acme/sandboxes/${name}/mcp`)
      .set({ 'X-Service-Authorization': `Bearer ${key}`, Accept: 'application/json, text/event-stream' })
      .send({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'run_command', arguments: { command, timeout_seconds: 120 } },
      })
    const { text } = body.result.content[0]
    return text.startsWith('{') ? JSON.parse(text) : { stdout: '', stderr: text }
  }
  const job = (name: string, spec: object = {}) =>
    createResource(api, 'jobs', name, {
      runtime: { image: 'test/script', memory: 512, envs },
      functions: ['code'],
      ...spec,
    })
  const runJob = async (name: string, scripts: readonly string[]): Promise<string[]> => {
    const id = await world.start(name, { tasks: scripts.map((script) => ({ script })), parallelism: 4 })
    await world.over(name, id, 240_000)
    const outputs = scripts.map((_, at) => api.get(`/v0/jobs/${name}/executions/${id}/tasks/${id}-${at}/output`))
    return (await Promise.all(outputs)).map(({ body }) => String(body.output))
  }
  const calls = () =>
    waitFor('the call is recorded', async () => {
      const { body } = await api.get('/v0/functions/code/tool-calls')
      return body.data.length > 0 && body.data
    })
  const credentials = () => [
    ...Object.values(secrets).filter((secret) => typeof secret === 'string'),
    ...Array.from({ length: provider.state.tokens }, (_, at) => secrets.token(at + 1)),
  ]
  return {
    ...{ provider, platform, api, link, sandbox, run, job, runJob, calls, credentials, envs },
    async close() {
      await world.close()
      provider.close()
    },
  }
}
