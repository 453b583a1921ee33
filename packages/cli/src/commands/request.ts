import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, type Given, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'

export const request: Command = {
  name: 'request',
  summary: 'Send a request to the API of a linked account.',
  arguments: ['CONNECTION_ID', 'URL'],
  options: {
    method: { type: 'string', value: 'METHOD', summary: 'Default: GET, or POST with --data.' },
    data: { type: 'string', value: 'TEXT', summary: 'The body, or @FILE.' },
    header: { type: 'string', value: 'NAME: VALUE', summary: 'A header, such as Content-Type: text/csv.' },
  },
  async run(given, terminal) {
    const [connectionId = '', url = ''] = given.arguments
    const body = bodyOf(given, terminal)
    const method = given.text('method')?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST')
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headerOf(given) }
    const { connections } = openClient(terminal)
    const response = await connections.fetch(connectionId, url, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    if (text !== '') terminal.out(text.replace(/\n$/, ''))
    if (!response.ok) throw new CommandError(`The app answered ${response.status} ${response.statusText}.`)
  },
}

function bodyOf(given: Given, { folder }: Terminal): string | Uint8Array<ArrayBuffer> | undefined {
  const data = given.text('data')
  if (!data?.startsWith('@')) return data
  try {
    return Uint8Array.from(readFileSync(resolve(folder, data.slice(1))))
  } catch (error) {
    throw new CommandError(`${data.slice(1)} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function headerOf(given: Given): Record<string, string> {
  const line = given.text('header')
  if (line === undefined) return {}
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+): *(.*)$/.exec(line) ?? []
  if (!name || value === undefined) throw new UsageError('causeway request: --header takes "Name: value".')
  return { [name.toLowerCase()]: value }
}
