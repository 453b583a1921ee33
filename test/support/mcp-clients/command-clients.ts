// MCP clients as commands. Each opens a browser and waits at an address of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { temporaryFolder } from '../processes/stores.ts'
import { appName, type Outcome } from './library-clients.ts'
import type { RecordedWorld } from './recorded-world.ts'

const require = createRequire(import.meta.url)

/** The file of a command of a package. */
function commandOf(name: string, command: string): string {
  const folder = require.resolve
    .paths(name)
    ?.map((modules) => join(modules, name))
    .find((each) => existsSync(each))
  if (!folder) throw new Error(`${name} is not installed`)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}

/** A home without logins, and a browser that opens nothing. */
function home() {
  const folder = temporaryFolder()
  const script = '#!/bin/sh\n'
  for (const name of ['xdg-open', 'browser']) {
    writeFileSync(join(folder, name), script)
    chmodSync(join(folder, name), 0o755)
  }
  const env: Record<string, string> = {
    HOME: folder,
    PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`,
    BROWSER: join(folder, 'browser'),
    MCP_AUTO_OPEN_ENABLED: 'true',
  }
  return { folder, env }
}

/** Allows the client at the first address of ours that it prints. */
function allowWhenAsked(world: RecordedWorld, printed: Readable[]): () => string {
  let text = ''
  const read = (chunk: Buffer) => {
    text += chunk
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?[^\s"'\\]+(?=\s)/.exec(text) ?? []
    if (!address) return
    for (const each of printed) each.off('data', read)
    world.allow(address).then((back) => fetch(back), console.error)
  }
  for (const each of printed) each.on('data', read)
  return () => text
}

type Home = ReturnType<typeof home>

async function run(world: RecordedWorld, { folder, env }: Home, args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const printed = allowWhenAsked(world, [child.stdout, child.stderr])
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`ended with ${code}: ${printed()}`)
  return out
}

const toolsIn = (text: string) => [...new Set(text.match(/\b(?:list_files|write_file|request)\b/g))]

export const commandClients: Record<string, (world: RecordedWorld) => Promise<Outcome>> = {
  '@modelcontextprotocol/inspector': async (world) => {
    const at = home()
    const inspector = (...args: string[]) =>
      run(world, at, [
        commandOf('@modelcontextprotocol/inspector', 'mcp-inspector'),
        ...['--cli', world.mcpUrl, '--transport', 'http', ...args],
      ])
    const tools = toolsIn(await inspector('--method', 'tools/list'))
    return { tools, result: await inspector('--method', 'tools/call', '--tool-name', 'list_files') }
  },

  'mcp-remote': async (world) => {
    const { folder, env } = home()
    const args = [commandOf('mcp-remote', 'mcp-remote'), world.mcpUrl]
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'pipe' })
    allowWhenAsked(world, [transport.stderr as Readable])
    const client = new Client(
      { name: appName, version: '1.0.0' },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    )
    await client.connect(transport)
    const { tools } = await client.listTools()
    const result = await client.callTool({ name: 'list_files', arguments: {} })
    await client.close()
    return { tools: tools.map(({ name }) => name), result: JSON.stringify(result) }
  },
}
