// A function whose writes need an approval, people who may give it, and the official client.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import type { HttpBrowser, Visit } from '../http/http-browser.ts'
import { temporaryFolder } from '../processes/stores.ts'
import { fileboxConnection } from './function-world.ts'
import { createResource } from './platform-world.ts'
import { repairWorld } from './repair-world.ts'

export type ApprovalWorld = Awaited<ReturnType<typeof approvalWorld>>

export type Called = {
  isError?: boolean
  content: Array<{ text: string }>
  _meta?: { code?: string; approvalUrl?: string }
}

/** Calls of the connection `shared` are decided by the admin, or the end user `boss`. */
const rules: ToolRule[] = [
  { integration: 'filebox', connection: 'files', approval: { calls: 'writing' } },
  {
    workspace: 'acme',
    connection: 'shared',
    approval: { calls: 'all', approvers: { members: ['Admin@acme.example'], endUsers: ['boss'] } },
  },
]

export async function approvalWorld() {
  const file = join(temporaryFolder(), 'policy.json')
  writeFileSync(file, JSON.stringify({ rules }))
  const world = await repairWorld({ TOOL_POLICY_FILE: file })
  const integrations = join(temporaryFolder(), 'integrations.json')
  writeFileSync(integrations, JSON.stringify({ integrations: [world.filebox.integration] }))
  const { api } = world
  const shared = { ...fileboxConnection('refresh-1'), metadata: { name: 'shared' } }
  await api.post('/v0/integrations/connections').send(shared).expect(200)
  await createResource(api, 'functions', 'shared', {
    type: 'mcp',
    integrationConnections: ['shared'],
    runtime: { type: 'mcp' },
  })
  const relink = async () => {
    await world.relink()
    const secret = { ...shared.spec.secret, REFRESH_TOKEN: world.filebox.state.refreshToken }
    await api
      .put('/v0/integrations/connections/shared')
      .send({ ...shared, spec: { ...shared.spec, secret } })
      .expect(200)
  }
  await relink()
  return {
    ...world,
    relink,
    /** Settings of another process with the same policy and integrations. */
    files: { TOOL_POLICY_FILE: file, INTEGRATIONS_FILE: integrations },
    sharedUrl: `${world.origin}/acme/functions/shared/mcp`,
    decide: (browser: HttpBrowser, url: string, decision: string): Promise<Visit> => browser.post(url, { decision }),
    /** The receipts that calls used, at all processes. */
    usedReceipts: async (): Promise<number> =>
      Number((await world.platform.pool.query('select count(*) from approved_calls')).rows[0].count),
  }
}

export const urlOf = ({ _meta }: Called): string => _meta?.approvalUrl ?? ''

export const codeOf = ({ _meta, isError }: Called): string | undefined => (isError ? _meta?.code : 'answered')
