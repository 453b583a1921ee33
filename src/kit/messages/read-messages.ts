import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { installedRoot } from '../installed/installed-root.ts'
import type { Texts } from './translator.ts'

const root = join(installedRoot, 'messages')

const TextFile = z.record(z.string(), z.string())

/** Phrases of the catalogue: scopes, apps and their inputs. */
const phraseFolders = ['scopes', 'apps', 'inputs']

export function readMessages(): Record<string, Texts> {
  const names = readdirSync(root).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(
    names.map((name) => [
      name.slice(0, -'.json'.length),
      { messages: readTexts(name), phrases: name === 'en.json' ? {} : readPhrases(name) },
    ]),
  )
}

const readPhrases = (name: string) =>
  Object.assign({}, ...phraseFolders.map((folder) => readTexts(`${folder}/${name}`)))

const readTexts = (name: string) => TextFile.parse(JSON.parse(readFileSync(join(root, name), 'utf8')))
