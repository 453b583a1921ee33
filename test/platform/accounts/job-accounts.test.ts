// Tasks of a job use a linked account through the same proxy as commands of a sandbox.
import { afterAll, expect, test } from 'vitest'
import { accountsWorld } from './accounts-world.ts'
import { attemptsAtHome as attempts } from './attempts.ts'
import { leaksIn } from './leaks.ts'

const world = await accountsWorld()
afterAll(() => world.close())
const { provider, job, runJob } = world
await job('nightly')

test('curl and Git run unmodified, and requests are recorded as calls of the job', async () => {
  provider.repository('repo.git')
  const push = `cd /tmp && git init -q -b main r && cd r && echo hi > a && git add a && git -c user.name=a -c user.email=a@b commit -qm a && git push -q "$API/git/repo.git" main`

  const outputs = await runJob('nightly', [
    'curl -sS -H "Authorization: Bearer $CODE_HOST_TOKEN" "$API/v1/models"',
    `${push} && cd /tmp && git clone -q "$API/git/repo.git" c && cat c/a`,
  ])

  expect(outputs).toEqual([expect.stringContaining('"id":"one"'), 'hi\n'])
  expect((await world.calls())[0]).toMatchObject({ caller: { name: 'job nightly' }, outcome: 'succeeded' })
})

test('C31: a task gets no credential from its environment, files and processes', async () => {
  const outputs = await runJob(
    'nightly',
    attempts.map(({ script }) => script),
  )

  const leaks = outputs.map((output, at) => [attempts[at]?.name, leaksIn(output, world.credentials())] as const)
  expect(leaks.filter(([, found]) => found.length > 0)).toEqual([])
  expect(attempts.filter(({ shows = /^/ }, at) => !shows.test(outputs[at] ?? '')).map(({ name }) => name)).toEqual([])
  expect(provider.reached).toEqual([])
})
