// All errors have the same format.
import request, { type Response } from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { ControlPlaneError } from '../../src/contract/error-bodies.ts'
import type { Operation } from '../../src/platform/shared/http/operation.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const world = await platformWorld()

afterAll(() => world.close())

type Ask = (operation: Operation) => request.Test | undefined

const address = ({ path }: Operation) => `/v0${path.replace(/\{\w+\}/g, 'some-name')}`
const bare = (operation: Operation) => request(world.app)[operation.method](address(operation))
const asAdmin = (operation: Operation) =>
  bare(operation).auth(world.admin.key, { type: 'bearer' }).set('X-Service-Workspace', 'acme')
const named = ({ path }: Operation) => path.includes('{')
const takesBody = ({ body }: Operation) => body !== undefined

const refusals: Array<[reason: string, statuses: number[], ask: Ask]> = [
  ['no credential', [401], bare],
  ['a wrong credential', [401], (operation) => bare(operation).set('Authorization', 'Bearer nonsense')],
  [
    'a closed workspace',
    [403],
    (operation) => ('handle' in operation ? asAdmin(operation).set('X-Service-Workspace', 'closed') : undefined),
  ],
  ['a method that is not there', [405], (operation) => request(world.app).patch(address(operation))],
  // 400 where the empty body is looked at before the name.
  ['a missing name', [400, 404], (operation) => (named(operation) ? asAdmin(operation).send({}) : undefined)],
  [
    'a body of the wrong shape',
    [400, 404],
    (operation) => (takesBody(operation) ? asAdmin(operation).send([1]) : undefined),
  ],
  [
    'a body that is no JSON',
    [400],
    (operation) => (takesBody(operation) ? asAdmin(operation).type('json').send('{broken') : undefined),
  ],
  [
    'another content type',
    [415],
    (operation) =>
      takesBody(operation) && !operation.anyContentType ? asAdmin(operation).type('text/plain').send('{}') : undefined,
  ],
  [
    'a body that is too large',
    [413],
    (operation) =>
      takesBody(operation) && !operation.anyContentType
        ? asAdmin(operation).send({ filler: 'x'.repeat(300 * 1024) })
        : undefined,
  ],
]

const isInShape = ({ status, body, headers }: Response) =>
  ControlPlaneError.strict().safeParse(body).success &&
  body.code === status &&
  body.message.length > 0 &&
  headers['content-type'] === 'application/json; charset=utf-8'

test.each(refusals)('%s returns code, error and message, on every route', async (_, statuses, ask) => {
  const wrong: unknown[] = []
  let asked = 0
  for (const operation of world.operations) {
    const sent = ask(operation)
    if (!sent) continue
    const answer = await sent
    asked++
    // A list of nothing is an answer too.
    if (answer.status === 200 && operation.method === 'get') continue
    if (!statuses.includes(answer.status) || !isInShape(answer)) {
      wrong.push([operation.method, operation.path, answer.status, answer.body])
    }
  }

  expect(wrong).toEqual([])
  expect(asked).toBeGreaterThan(20)
})
