import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/kit/process/metrics.ts'
import { noTracing } from '../../../src/kit/tracing/tracing.ts'
import { observed } from '../../../src/onboarding/adapters/observed/observed.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import { logRecorder } from '../../support/oracles/recorders.ts'
import { grant, provisioningInMemory } from '../../support/worlds/provisioning-in-memory.ts'

function told(more: Parameters<typeof provisioningInMemory>[0] = {}) {
  const world = provisioningInMemory(more)
  const { log, lines } = logRecorder()
  const metrics = createMetrics('test')
  const missing = { healthChecks: {}, tasks: {}, deliveries: {}, deletions: {}, erasures: {} }
  Object.assign(
    world.ports,
    observed({ ...missing, ...world.ports } as never, { log, metrics, tracing: noTracing }, [{ id: 'provider' }]),
  )
  const rejections = async () =>
    (await metrics.text()).split('\n').filter((line) => /^test_client_rejections_total.* [1-9]/.test(line))
  return { ...world, rejections, lines: () => lines.map((line) => JSON.parse(line)) }
}

const ids = { link: 'lnk_1', tenant: 'acme', integration: 'provider', connection: 'con_1', requestId: 'req_1' }

test('logs one line per move of a link, with IDs to search for', async () => {
  const world = told()

  await world.run({ grant: grant() })

  expect(world.lines()).toEqual([
    { event: 'link.moved', ...ids, from: 'escrowed', to: 'function_ready' },
    { event: 'link.ended', ...ids, from: 'function_ready', to: 'linked' },
  ])
})

test('logs a retried step with its cause, attempts and next attempt', async () => {
  const world = told()
  world.calls.instead.createConnection = () => {
    throw new DependencyError('platform_unavailable', { retry: { afterSeconds: 7 }, detail: 'ECONNREFUSED' })
  }

  await world.run({ grant: grant() })

  const call = { call: 'connection', cause: 'platform_unavailable', detail: 'ECONNREFUSED', connection: 'con_1' }
  expect(world.lines()).toContainEqual(expect.objectContaining({ event: 'call.failed', ...call }))
  const { requestId: _, ...idsOfWorker } = ids
  const retry = { from: 'escrowed', cause: 'platform_unavailable', attempts: 1, inSeconds: 7 }
  expect(world.lines()).toContainEqual({ event: 'link.retry_scheduled', ...idsOfWorker, ...retry })
})

test('a link that needs attention logs a warning', async () => {
  const world = told()
  world.calls.instead.createConnection = () => {
    throw new DependencyError('platform_refused')
  }

  await world.run({ grant: grant() })

  expect(world.lines().at(-1)).toMatchObject({ event: 'link.needs_attention', ...ids, cause: 'platform_refused' })
})

test('does not log messages from a container', async () => {
  const world = told({ link: { attempts: 10 } })
  world.calls.instead.createFunction = () => {
    throw new DependencyError('function_failed', { retry: {}, detail: 'panic: token=hunter2' })
  }

  await world.run({ grant: grant() })

  expect(world.lines()).toContainEqual(expect.objectContaining({ event: 'call.failed', cause: 'function_failed' }))
  expect(JSON.stringify(world.lines())).not.toContain('hunter2')
})

test('a worker that lost its link logs it and writes nothing', async () => {
  const world = told()
  world.calls.instead.createConnection = () => world.takeOver()

  await world.run({ grant: grant() })

  expect(world.lines().map(({ event }) => event)).toEqual(['link.lost'])
})

test('counters of an integration start at zero, so that Prometheus sees the first increment', async () => {
  const metrics = createMetrics('test')
  const nothing = {} as never

  observed(nothing, { log() {}, metrics, tracing: noTracing }, [{ id: 'files' }])

  const text = await metrics.text()
  const series = (outcome: string, move: string) =>
    `test_links_ended_total{integration="files",outcome="${outcome}",whose_move="${move}"} 0`
  expect(text).toContain(series('linked', 'nobody'))
  expect(text).toContain(series('failed', 'operator'))
  expect(text).toContain(series('needs_attention', 'support'))
})

test.each(['client_rejected', 'client_secret_expired', 'app_suspended'] as const)(
  'counts a rejected client by integration: %s',
  async (cause) => {
    const world = told({ integration: { rotation: 'none' } })
    world.calls.instead.refresh = () => {
      throw new DependencyError(cause)
    }

    await world.run({ grant: grant() })

    expect(await world.rejections()).toEqual([
      `test_client_rejections_total{integration="provider",cause="${cause}"} 1`,
    ])
  },
)

test('does not count a rejected client again when its stopped link ends', async () => {
  const world = told({ link: { state: 'needs_attention', cause: 'client_rejected', resumeFrom: 'function_ready' } })

  const change = { cause: 'client_rejected' } as const
  const ended = await world.ports.links.move(world.now(), 'revoking', change, { actor: {} } as never)

  expect(ended?.state).toBe('revoking')
  expect(await world.rejections()).toEqual([])
})

test('does not count other causes as a rejected client', async () => {
  const world = told()
  world.calls.instead.createConnection = () => {
    throw new DependencyError('platform_refused')
  }

  await world.run({ grant: grant() })

  expect(await world.rejections()).toEqual([])
})
