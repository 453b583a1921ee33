// What the owner of a preview can change about requests and responses.
import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { proxyHeaders } from '../../../src/platform/gateway/http/proxy-headers.ts'
import { previewAccess } from '../../../src/platform/gateway/http/sandbox/preview-access.ts'
import { isSandboxHost } from '../../../src/platform/shared/http/addressed-to.ts'

const id = '11111111-2222-3333-4444-555555555555'

async function asked(spec: { requestHeaders?: Record<string, string>; responseHeaders?: Record<string, string> }) {
  const preview = { workspace: 'acme', sandbox: 'box', name: 'p', port: 8080, isPublic: true, expiresAt: undefined }
  const ports = {
    findPreview: async () => ({ ...preview, requestHeaders: {}, responseHeaders: {}, ...spec }),
    findPreviewToken: async () => undefined,
    findPreviewAt: async () => undefined,
    previewTokens: { read: () => undefined },
    now: () => new Date(),
  }
  const app = express().use((_req, res, next) => {
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    next()
  })
  app.use(
    previewAccess(ports, { headers: brandedHeaders('Service'), countPreview: (_req, _id, open) => open() }).enter,
    (req, res) => res.json({ headers: req.headers, isSandboxHost: isSandboxHost(req) }),
  )
  return request(app).post(`/acme/previews/${id}/`).send({ a: 1 })
}

test('a preview on the host of the platform cannot claim to have its own', async () => {
  const { body } = await asked({ requestHeaders: { Host: `pv-${id}.example` } })

  expect(body.isSandboxHost).toBe(false)
})

test('a preview sets request headers, except those that say where a request ends', async () => {
  const { body } = await asked({
    requestHeaders: { 'X-Own': 'yes', 'Content-Length': '3', 'Transfer-Encoding': 'chunked', Upgrade: 'h2c' },
  })

  expect(body.headers).toMatchObject({ 'x-own': 'yes', 'content-length': '7' })
  expect(body.headers).not.toHaveProperty('transfer-encoding')
  expect(body.headers).not.toHaveProperty('upgrade')
})

test('a preview sets response headers, except those of the platform and of proxies', async () => {
  const { headers } = await asked({
    responseHeaders: {
      'X-Own': 'yes',
      'Cache-Control': 'max-age=60',
      'X-Content-Type-Options': 'off',
      'X-Accel-Redirect': '/etc/passwd',
    },
  })

  expect(headers).toMatchObject({
    'x-own': 'yes',
    'cache-control': 'max-age=60',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('x-accel-redirect')
})

test('a workload cannot make a proxy in front of the platform send a file', () => {
  const answered = proxyHeaders(brandedHeaders('Service')).answered({ 'x-accel-redirect': '/etc/passwd' }, {})

  expect(answered).not.toHaveProperty('x-accel-redirect')
})
