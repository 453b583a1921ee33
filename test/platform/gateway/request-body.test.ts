import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { bufferedBody } from '../../../src/platform/gateway/http/request-body.ts'

test('a body whose sender hangs up is the caller’s doing, and no store is blamed for it', async () => {
  const req = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage
  const held = bufferedBody(req)

  req.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))

  await expect(held).rejects.toMatchObject({ code: 'input_invalid' })
})
