// A command is data: help, shell completion and the parser all read the same table.
import { parseArgs } from 'node:util'
import { closestWord } from './closest-word.ts'
import type { Terminal } from './terminal.ts'

export type Option = {
  type: 'string' | 'boolean'
  /** Placeholder of the value in the help. */
  value?: string
  summary: string
  /** Offered by shell completion. */
  choices?: readonly string[]
}

export type Command = {
  /** As typed, such as `links tail`. */
  name: string
  summary: string
  /** Names of the arguments. Optional ones start with `[`. */
  arguments?: readonly string[]
  /** Values of the first argument. */
  choices?: readonly string[]
  options?: Readonly<Record<string, Option>>
  /** Placeholder of a program and its arguments after `--`. */
  program?: string
  /** Pass all following words to `run` unparsed. */
  handsOn?: true
  run(given: Given, terminal: Terminal): Promise<void>
}

export type Given = {
  arguments: readonly string[]
  /** The words after `--`. */
  program: readonly string[]
  text(option: string): string | undefined
  flag(option: string): boolean
}

/** Exits with code 2. */
export class UsageError extends Error {}

export const commonOptions: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', summary: 'Print JSON, one value a line, for scripts.' },
  help: { type: 'boolean', summary: 'Show how a command is used.' },
}

export function readGiven(command: Command, args: readonly string[]): Given {
  if (command.handsOn) return { arguments: args, program: [], text: () => undefined, flag: () => false }
  const options = { ...command.options, ...commonOptions }
  const end = command.program === undefined ? -1 : args.indexOf('--')
  const program = end < 0 ? [] : args.slice(end + 1)
  const { values, positionals } = parse(command, end < 0 ? args : args.slice(0, end), options)
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
    program,
    text: (name) => values[name] as string | undefined,
    flag: (name) => values[name] === true,
  }
}

function parse(command: Command, args: readonly string[], options: Readonly<Record<string, Option>>) {
  const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))
  try {
    return parseArgs({ args: [...args], options: types, allowPositionals: true, strict: true })
  } catch (error) {
    // Node's message continues with how to escape a value that starts with a dash.
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new UsageError(`causeway ${command.name}: ${sentence.replace(/\.$/, '')}.${optionHint(sentence, options)}`)
  }
}

function optionHint(sentence: string, options: Readonly<Record<string, Option>>): string {
  const [, typed] = /^Unknown option '--([^']*)'/.exec(sentence) ?? []
  const closest = typed === undefined ? undefined : closestWord(typed, Object.keys(options))
  return closest === undefined ? '' : ` Did you mean --${closest}?`
}
