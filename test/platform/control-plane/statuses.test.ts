// The sets of states of the interface document, written out by hand from it, and the ways through them.
import { afterAll, describe, expect, test } from 'vitest'
import { executionStatuses } from '../../../src/contract/control-plane/execution.ts'
import { workspaceStatuses } from '../../../src/contract/control-plane/workspace.ts'
import { deploymentStatuses } from '../../../src/contract/resource.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const words = (text: string) => text.split(', ')
const ofDeployment = words(
  'DELETING, TERMINATED, FAILED, DEACTIVATED, DEACTIVATING, UPLOADING, BUILDING, DEPLOYING, DEPLOYED, BUILT',
)
const ofWorkspace = words('created, account_binded, account_configured, workspace_configured, ready, error')
const ofExecution = words('queued, pending, running, cancelling, cancelled, failed, succeeded, timeout')

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

test('the status sets match the documentation', () => {
  const sorted = (set: readonly string[]) => [...set].sort()

  expect(sorted(deploymentStatuses)).toEqual(sorted(ofDeployment))
  expect(sorted(workspaceStatuses)).toEqual(sorted(ofWorkspace))
  expect(sorted(executionStatuses)).toEqual(sorted(ofExecution))
})

type StatusReport = { status: string; events: Array<{ status: string; type: string; message: string; time: string }> }

describe.each(['agent', 'function', 'job', 'model', 'sandbox'])('the deployment of a %s', (kind) => {
  const { path, spec } = samples[kind]!
  const one = `/v0${path}/walker`
  const settled = (status: string): Promise<StatusReport> =>
    waitFor(`it is ${status}`, async () => {
      const { body } = await api.get(one)
      return body.status === status && body
    })
  const put = async (changed: object): Promise<StatusReport> =>
    (
      await api
        .put(one)
        .send({ metadata: { name: 'walker' }, spec: { ...spec, ...changed } })
        .expect(200)
    ).body

  test('takes every documented state, each with an event, and no other', async () => {
    const { body: created } = await api
      .post(`/v0${path}`)
      .send({ metadata: { name: 'walker' }, spec })
      .expect(200)
    await settled('DEPLOYED')
    const stopping = await put({ enabled: false })
    await settled('DEACTIVATED')
    const starting = await put({ policies: ['nowhere'] })
    const failed = await settled('FAILED')
    const { body: deleted } = await api.delete(one).expect(200)

    expect([created, stopping, starting].map(({ status }) => status)).toEqual([
      'DEPLOYING',
      'DEACTIVATING',
      'DEPLOYING',
    ])
    expect(failed.events.at(-1)?.message).toContain('There is no policy nowhere')
    const walked = (deleted as StatusReport).events.filter(({ type }) => type !== 'no_effect')
    expect(walked.map(({ status }) => status)).toEqual([
      ...['DEPLOYING', 'DEPLOYED', 'DEACTIVATING', 'DEACTIVATED', 'DEPLOYING', 'FAILED', 'DELETING'],
    ])
    expect(deleted.status).toBe('DELETING')
    for (const { type, status } of walked) expect([type, ofDeployment.includes(status)]).toEqual(['deployment', true])
  })
})

describe('a workspace', () => {
  test('takes its states in order, without a reason', async () => {
    const { workspaces } = world.adapters
    const { setStatus } = workspaces
    const open = new Set<string>()
    workspaces.setStatus = async (name, from, to) => {
      if (name === 'step-by-step') await waitFor(`it may be ${to}`, async () => open.has(to))
      return setStatus(name, from, to)
    }
    const at = async (status: string) =>
      waitFor(`it is ${status}`, async () => {
        const { body } = await api.get('/v0/workspaces/step-by-step')
        return body.status === status && body
      })

    await api.post('/v0/workspaces').send({ name: 'step-by-step' }).expect(200)
    const seen = []
    for (const status of ofWorkspace.filter((each) => each !== 'error')) {
      open.add(status)
      seen.push(await at(status))
    }
    workspaces.setStatus = setStatus

    expect(seen.map(({ status }) => status)).toEqual(
      words('created, account_binded, account_configured, workspace_configured, ready'),
    )
    for (const workspace of seen) expect(workspace).not.toHaveProperty('statusReason')
  })

  test.each(ofWorkspace)('that is %s shows its reason only in error', async (status) => {
    const name = `state-${status.replace('_', '-')}`
    await api.post('/v0/workspaces').send({ name }).expect(200)
    await waitFor('it is ready', async () => (await api.get(`/v0/workspaces/${name}`)).body.status === 'ready')
    // Created in the future, so that no process finishes it.
    await world.pool.query(
      `update workspaces set status = $2, status_reason = 'disk full', created_at = now() + interval '1 day'
       where name = $1`,
      [name, status],
    )

    const { body } = await api.get(`/v0/workspaces/${name}`)
    const listed = (await api.get('/v0/workspaces')).body.find((each: { name: string }) => each.name === name)

    for (const shown of [body, listed])
      expect([shown.status, shown.statusReason]).toEqual([status, status === 'error' ? 'disk full' : undefined])
  })
})
