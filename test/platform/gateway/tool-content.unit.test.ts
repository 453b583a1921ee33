import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { createLog } from '../../../src/kit/process/log.ts'
import type { ToolResult } from '../../../src/platform/gateway/domain/mcp.ts'
import { contentOf, typeByName } from '../../../src/platform/gateway/domain/tool-content.ts'
import { callTool } from '../../../src/platform/gateway/flows/call-tool.ts'
import { mcpServer } from '../../../src/platform/gateway/http/mcp-server.ts'
import { catalogue } from '../../../src/platform/gateway/integrations/catalogue.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const uri = 'https://api.example/files/1'

describe('P6: the result of a tool', () => {
  test.each<[what: string, contentType: string, bytes: Buffer, kind: string, mimeType?: string]>([
    ['JSON', 'application/json; charset=utf-8', Buffer.from('{"a":"ü"}'), 'text'],
    ['text without a type', '', Buffer.from('plain'), 'text'],
    ['nothing', '', Buffer.alloc(0), 'text'],
    ['text declared as bytes', 'application/octet-stream', Buffer.from('a,b\r\n1,2\t3'), 'text'],
    ['a drawing', 'image/svg+xml', Buffer.from('<svg/>'), 'text'],
    ['an image', 'Image/PNG; name=a', png, 'image', 'image/png'],
    ['sound', 'audio/mpeg', Buffer.from([0xff, 0xfb, 0]), 'audio', 'audio/mpeg'],
    ['a film', 'video/mp4', Buffer.from([0, 0, 0, 0x18]), 'resource', 'video/mp4'],
    ['an archive', 'application/zip', Buffer.from('504b0304ff00', 'hex'), 'resource', 'application/zip'],
    ['bytes declared as text', 'text/plain', Buffer.from([0xff, 0xfe, 0x80]), 'resource', 'text/plain'],
    ['bytes without a type', '', Buffer.from([0, 1, 2]), 'resource', 'application/octet-stream'],
    ['an invalid type', '<script>', Buffer.from([0]), 'resource', 'application/octet-stream'],
    ['an unknown charset', 'text/plain; charset=utf-7', Buffer.from('a'), 'resource', 'text/plain'],
  ])('%s (%s) keeps its type', (_what, contentType, bytes, kind, mimeType) => {
    const content = contentOf({ bytes, contentType, uri })

    expect(content).toEqual(kind === 'text' ? { kind, text: bytes.toString() } : { kind, mimeType, bytes, uri })
  })

  test('text in another charset is decoded', () => {
    const content = contentOf({
      bytes: Buffer.from('Grüße', 'latin1'),
      contentType: 'text/plain; charset="ISO-8859-1"',
      uri,
    })

    expect(content).toEqual({ kind: 'text', text: 'Grüße' })
  })

  test('a file gets its type from its name', () => {
    expect(['/a/B.PNG', '/notes', '/x.tar'].map(typeByName)).toEqual([
      'image/png',
      'application/octet-stream',
      'application/octet-stream',
    ])
  })

  test('google-drive.read_file returns an image with its type and hides a token in it', async () => {
    const integration = catalogue([]).get('google-drive')!
    const secrets = new Secret({ REFRESH_TOKEN: 'CANARY-refresh' })
    const connection = {
      id: 'c',
      version: 1,
      workspace: 'acme',
      name: 'drive',
      integration: 'google-drive',
      config: {},
      secrets,
    }
    const bytes = Buffer.concat([png, Buffer.from('CANARY-access'), png])
    const run = callTool({
      accessToken: async () => new Secret('CANARY-access'),
      thirdParty: { call: async () => ({ status: 200, contentType: 'image/png', bytes }) },
      grantNotes: { revoked: async () => {}, restored: async () => {}, failed: async () => {} },
    })
    const tool = integration.tools.find(({ name }) => name === 'read_file')

    const open = { functionName: 'f', tool, integration, connection }
    const { content, isError } = await run(open, { fileId: '1' }, new AbortController().signal)

    expect([isError, content.kind]).toEqual([false, 'image'])
    if (content.kind === 'text') throw new Error('bytes were expected')
    expect(content.bytes).toEqual(Buffer.concat([png, Buffer.from('[secret]'), png]))
  })

  test.each<[kind: 'image' | 'audio' | 'resource', block: object]>([
    ['image', { type: 'image', data: png.toString('base64'), mimeType: 'a/b' }],
    ['audio', { type: 'audio', data: png.toString('base64'), mimeType: 'a/b' }],
    ['resource', { type: 'resource', resource: { uri, mimeType: 'a/b', blob: png.toString('base64') } }],
  ])('reaches an MCP client as %s', async (kind, block) => {
    const result: ToolResult = { content: { kind, mimeType: 'a/b', bytes: png, uri }, isError: false }
    const mcp = {
      id: '',
      memoryMb: 1,
      name: 'files',
      title: 'Files',
      listTools: async () => [],
      isReading: () => true,
      call: async () => result,
    }
    const client = new Client({ name: 'test', version: '1' })
    const [here, there] = InMemoryTransport.createLinkedPair()
    await mcpServer(mcp, createLog('test', 'silent', platformEvents)).connect(there)
    await client.connect(here)

    const answer = await client.callTool({ name: 'read', arguments: {} })

    expect(answer).toMatchObject({ content: [block], isError: false })
    await client.close()
  })
})
