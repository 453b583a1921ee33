import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Texts } from './translator.ts'

const root = fileURLToPath(new URL('../../../messages/', import.meta.url))

const TextFile = z.record(z.string(), z.string())

/** Every language that has a file in `messages`. Its phrases are in the file of the same name in `messages/scopes`. */
export function readMessages(): Record<string, Texts> {
  const names = readdirSync(root).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(
    names.map((name) => [
      name.slice(0, -'.json'.length),
      { messages: readTexts(name), phrases: name === 'en.json' ? {} : readTexts(`scopes/${name}`) },
    ]),
  )
}

const readTexts = (name: string) => TextFile.parse(JSON.parse(readFileSync(`${root}${name}`, 'utf8')))
