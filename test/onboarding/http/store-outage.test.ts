import request from 'supertest'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../src/kit/http/http-server.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'

test('a read-only database makes the product not ready, and the gauge shows why', async () => {
  const onboarding = await startOnboarding()
  onTestFinished(() => onboarding.close())
  const { pathname } = new URL(onboarding.env.DATABASE_URL)
  await onboarding.sql.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
  // Open connections keep what they had; new ones are read-only.
  await onboarding.sql.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

  const answer = await waitFor('the database is read-only', async () => {
    const readiness = await request(onboarding.url).get('/readyz')
    return readiness.body.parts.database === 'read-only' && readiness
  })

  expect(answer.status).toBe(503)
  expect(await onboarding.world.metrics.text()).toContain(
    'causeway_dependency_up{dependency="database",state="read-only"} 0',
  )
})

test('the gauge shows a platform that rejects our key as down, without any link', async () => {
  const platform = await listen(
    (req, res) => {
      res.writeHead(req.url === '/healthz' ? 200 : 401, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ code: 401, error: 'invalid_token', message: 'The credential is not valid.' }))
    },
    { host: '127.0.0.1', port: 0 },
  )
  onTestFinished(() => platform.close(0))
  const onboarding = await startOnboarding({ env: { PLATFORM_URL: `http://127.0.0.1:${platform.port}/v0` } })
  onTestFinished(() => onboarding.close())

  const [state] = (await onboarding.world.metrics.text()).match(/^causeway_dependency_up.*platform.*$/m) ?? []

  expect(state).toBe('causeway_dependency_up{dependency="platform",state="misconfigured"} 0')
})
