// A command is data: the help, the completion of shells and the parser are made of the same table.
import { parseArgs } from 'node:util'
import type { Terminal } from './terminal.ts'

export type Option = {
  type: 'string' | 'boolean'
  /** What stands for the value in the help. */
  value?: string
  summary: string
  /** What a shell may offer. */
  choices?: readonly string[]
}

export type Command = {
  /** As it is typed: `links tail`. */
  name: string
  summary: string
  /** Names of what comes behind it, `[…]` where it may be left out. */
  arguments?: readonly string[]
  /** What a shell may offer for the first of them. */
  choices?: readonly string[]
  options?: Readonly<Record<string, Option>>
  /** What follows belongs to another program, and is handed on as it is. */
  handsOn?: true
  run(given: Given, terminal: Terminal): Promise<void>
}

export type Given = {
  arguments: readonly string[]
  text(option: string): string | undefined
  flag(option: string): boolean
}

/** Wrong usage: told in a sentence, with where to read on. */
export class UsageError extends Error {}

/** Taken by every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', summary: 'Print JSON, one value a line, for scripts.' },
  help: { type: 'boolean', summary: 'Show how a command is used.' },
}

export function readGiven(command: Command, args: readonly string[]): Given {
  if (command.handsOn) return { arguments: args, text: () => undefined, flag: () => false }
  const options = { ...command.options, ...commonOptions }
  const { values, positionals } = parse(command, args, options)
  const wanted = command.arguments ?? []
  const needed = wanted.filter((name) => !name.startsWith('['))
  if (positionals.length < needed.length) {
    throw new UsageError(`causeway ${command.name}: ${needed[positionals.length]} is missing.`)
  }
  if (positionals.length > wanted.length) {
    throw new UsageError(`causeway ${command.name}: “${positionals[wanted.length]}” is one argument too many.`)
  }
  return {
    arguments: positionals,
    text: (name) => values[name] as string | undefined,
    flag: (name) => values[name] === true,
  }
}

function parse(command: Command, args: readonly string[], options: Readonly<Record<string, Option>>) {
  const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))
  try {
    return parseArgs({ args: [...args], options: types, allowPositionals: true, strict: true })
  } catch (error) {
    // Node says which option it was, and then how to escape it, which nobody wants to know.
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new UsageError(`causeway ${command.name}: ${sentence.replace(/\.$/, '')}.`)
  }
}
