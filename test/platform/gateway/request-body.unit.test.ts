import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { bufferedBody } from '../../../src/platform/gateway/http/request-body.ts'

test('reports a request body whose sender disconnects as the caller’s error', async () => {
  const req = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage
  const held = bufferedBody(req)

  req.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))

  await expect(held).rejects.toMatchObject({ code: 'input_invalid' })
})
