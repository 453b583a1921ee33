import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { compressedAssets } from '../../src/kit/http/compressed-assets.ts'

const folder = mkdtempSync(join(tmpdir(), 'assets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sheet = 'body { color: red }\n'.repeat(200)
writeFileSync(join(folder, 'page.css'), sheet)
writeFileSync(join(folder, 'picture.png'), 'picture')

const app = express()
app.use(compressedAssets(folder, { 'Cache-Control': 'public, max-age=600' }), express.static(folder))
const get = (path: string, headers: Record<string, string> = { 'Accept-Encoding': 'gzip, br' }) =>
  request(app)
    .get(path)
    .set({ 'Accept-Encoding': 'identity', ...headers })

test('serves a style sheet gzipped, with the headers of its folder', async () => {
  const answer = await get('/page.css')

  expect(answer.text).toBe(sheet)
  expect(answer.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=600',
    vary: 'Accept-Encoding',
  })
  expect(Number(answer.headers['content-length'])).toBeLessThan(200)
})

test('serves it uncompressed to other clients, with Vary', async () => {
  const answer = await get('/page.css', {})

  expect([answer.text, answer.headers['content-encoding'], answer.headers.vary]).toEqual([
    sheet,
    undefined,
    'Accept-Encoding',
  ])
})

test('answers 304 until the file changes', async () => {
  const { etag = '' } = (await get('/page.css')).headers
  const again = () => get('/page.css', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })

  const kept = await again()
  writeFileSync(join(folder, 'page.css'), 'body {}')
  utimesSync(join(folder, 'page.css'), 1, 1)
  const changed = await again()

  expect(kept.status).toBe(304)
  expect([changed.status, changed.text]).toEqual([200, 'body {}'])
})

test.each(['/picture.png', '/none.css', '/../assets.css', '/%2e%2e/page.css', '/.hidden.css'])(
  '%s is handled by the next handler',
  async (path) => {
    expect((await get(path)).headers['content-encoding']).toBeUndefined()
  },
)
