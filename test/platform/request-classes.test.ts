import { expect, test } from 'vitest'
import { platformWorld } from '../support/worlds/platform-world.ts'

test.each(['true', 'false'])('with REQUEST_CLASSES=%s every part of the platform answers', async (REQUEST_CLASSES) => {
  const world = await platformWorld({ env: { REQUEST_CLASSES } })
  try {
    const url = await world.listen()
    const headers = {
      Authorization: `Bearer ${world.admin.key}`,
      'X-Service-Workspace': 'acme',
      'Content-Type': 'application/json',
    }
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return [answer.status, answer.headers.get('content-type')]
    }

    const json = 'application/json; charset=utf-8'
    expect(await ask('POST', '/v0/drives', { metadata: { name: 'one' }, spec: {} })).toEqual([200, json])
    expect(await ask('GET', '/v0/drives/none')).toEqual([404, json])
    // The fast path stands before the framework, and hands on what it does not know.
    expect(await ask('POST', '/acme/agents/none', { inputs: 'Hello' })).toEqual([404, json])
    expect(await ask('POST', '/acme/functions/none/mcp', {})).toEqual([404, json])
    expect(await ask('GET', '/.well-known/openid-configuration')).toEqual([200, json])
    expect(await ask('GET', '/oauth/device')).toEqual([200, 'text/html; charset=utf-8'])
  } finally {
    await world.close()
  }
})
