import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import request from 'supertest'
import { beforeAll, expect, test } from 'vitest'
import { packedPackages } from '../../src/kit/http/packed-packages.ts'
import { readVersion } from '../../src/kit/installed/installed-root.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const publicUrl = 'https://connect.example.com'
const scope = '@causeway'
const wheel = 'causeway-0.4.0.dev0-py3-none-any.whl'
let app: express.Express

beforeAll(() => {
  const folder = join(temporaryFolder(), 'dist-packages')
  mkdirSync(folder)
  for (const name of ['client.tgz', wheel, '.built-from']) writeFileSync(join(folder, name), `content of ${name}`)
  app = express().use(packedPackages({ publicUrl, scope, folder }))
})

test('lists the packages with their versions and addresses', async () => {
  const { body } = await request(app).get('/packages/')

  expect(body.data).toEqual([
    { name: 'causeway', version: '0.4.0.dev0', url: `${publicUrl}/packages/${wheel}` },
    { name: '@causeway/client', version: readVersion(), url: `${publicUrl}/packages/client.tgz` },
  ])
})

test('serves a package with a validator', async () => {
  const first = await request(app).get('/packages/client.tgz').buffer()
  const again = await request(app).get('/packages/client.tgz').set('If-None-Match', String(first.headers.etag))

  expect(first.headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'public, no-cache' })
  expect(first.headers['content-encoding']).toBeUndefined()
  expect([first.status, again.status]).toEqual([200, 304])
})

test('serves a wheel for pip', async () => {
  const { headers, text } = await request(app).get(`/packages/${wheel}`).buffer()

  expect(headers).toMatchObject({ 'content-type': 'application/zip', 'cache-control': 'public, no-cache' })
  expect(text).toBe(`content of ${wheel}`)
})

test.each(['/packages/other.tgz', '/packages/.built-from', '/packages/..%2fpackage.json', '/packages/client.tgz/'])(
  'answers %s with 404',
  async (path) => {
    expect((await request(app).get(path)).status).toBe(404)
  },
)

test('without a build the list is empty', async () => {
  const empty = express().use(packedPackages({ publicUrl, scope, folder: join(temporaryFolder(), 'none') }))

  expect((await request(empty).get('/packages')).body).toEqual({ data: [] })
  expect((await request(empty).get('/packages/client.tgz')).status).toBe(404)
})
