import { expect, test } from 'vitest'
import { platformGrantProblems } from '../../../../src/onboarding/provisioning/adapters/platform/grant-problems.ts'

const problem = {
  time: '2026-11-16T10:00:00.000Z',
  workspace: 'acme',
  connection: 'notes-1',
  function: 'notes-1',
  code: 'insufficient_scope',
  scope: 'notes:write',
}
const page = (data: unknown[], nextCursor = '') => ({
  status: 200,
  body: { data, meta: { hasMore: nextCursor !== '', nextCursor } },
})

function platform(...answers: { status: number; body: unknown }[]) {
  const asked: string[] = []
  const look = async (path: string) => {
    asked.push(path)
    return { status: 404, body: undefined, isPlatform: true, ...answers[Math.min(asked.length, answers.length) - 1] }
  }
  return { asked, problems: platformGrantProblems({ look }) }
}

test('reads problems page by page and maps their codes to causes', async () => {
  const { asked, problems } = platform(page([problem], 'next one'), page([{ ...problem, code: 'grant_revoked' }]))

  const found = await problems.since(new Date('2026-11-16T09:00:00.000Z'))

  expect(found).toMatchObject([
    { at: new Date(problem.time), workspace: 'acme', connectionName: 'notes-1', cause: 'scope_insufficient' },
    { cause: 'grant_revoked' },
  ])
  expect(asked).toEqual([
    '/grant-problems?since=2026-11-16T09%3A00%3A00.000Z',
    '/grant-problems?since=2026-11-16T09%3A00%3A00.000Z&cursor=next+one',
  ])
})

test('requests the problems of one connection in its own workspace', async () => {
  const { problems } = platform(page([problem, { ...problem, workspace: 'other' }]))

  expect(await problems.of({ workspace: 'acme', name: 'notes-1' })).toHaveLength(1)
})

test.each([403, 404])('a platform that answers %i reports no problems', async (status) => {
  expect(await platform({ status, body: {} }).problems.since(new Date())).toEqual([])
})

test('stops reading an endless list after 20 pages', async () => {
  const { asked, problems } = platform(page([problem], 'again'))

  await problems.since(new Date())

  expect(asked).toHaveLength(20)
})

test.each([
  ['is down', { status: 503, body: {} }],
  ['returns another format', { status: 200, body: { data: [{ code: 'nonsense' }] } }],
])('treats a platform that %s as unavailable', async (_, answer) => {
  await expect(platform(answer).problems.since(new Date())).rejects.toMatchObject({ cause: 'platform_unavailable' })
})
