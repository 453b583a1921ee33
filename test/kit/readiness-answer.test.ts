import express from 'express'
import request from 'supertest'
import { beforeEach, expect, test } from 'vitest'
import { readinessAnswers } from '../../src/kit/http/readiness-answer.ts'
import { requestLog } from '../../src/kit/http/request-log.ts'
import type { LogFields } from '../../src/kit/process/log.ts'

let missing: string[]
let lines: unknown[]
const log = (event: string, { detail, code, status }: LogFields = {}) =>
  void lines.push([event, detail ?? code, status].filter((each) => each !== undefined))

beforeEach(() => {
  missing = []
  lines = []
})

const probed = () => {
  const answer = readinessAnswers(log)
  const app = express().use(requestLog(log))
  return app.get('/readyz', (_req, res) => answer(res, missing, { missing }))
}

test('logs each change of readiness once', async () => {
  const app = probed()

  await request(app).get('/readyz')
  missing = ['redis: not answering']
  const told = [await request(app).get('/readyz'), await request(app).get('/readyz')]
  missing = []
  const after = await request(app).get('/readyz')

  expect([...told, after].map(({ status }) => status)).toEqual([503, 503, 200])
  expect(lines).toEqual([
    ['request.answered', 200],
    ['program.not_ready', 'redis: not answering'],
    ['request.answered', 'not_ready', 503],
    ['request.answered', 'not_ready', 503],
    ['program.ready'],
    ['request.answered', 200],
  ])
})

test('logs a further missing dependency', async () => {
  const app = probed()
  missing = ['redis: not answering']
  await request(app).get('/readyz')
  missing = ['redis: not answering', 'database: not answering']
  await request(app).get('/readyz')

  expect(lines.filter((line) => String(line).startsWith('program'))).toEqual([
    ['program.not_ready', 'redis: not answering'],
    ['program.not_ready', 'redis: not answering, database: not answering'],
  ])
})
