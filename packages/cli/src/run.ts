import { type Command, commonOptions, type Option, readGiven, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { errorLines, exitCodeOf } from './errors.ts'
import { columns } from './table.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Returns the exit code: 0, 1 if the command failed, 2 for wrong usage. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await run(args, terminal)
    return 0
  } catch (error) {
    if (terminal.stopped.aborted) return 0
    for (const line of errorLines(error)) terminal.err(line)
    return exitCodeOf(error)
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first] = args
  if (first === '--version') return terminal.out(version)
  if (first === undefined || first === 'help' || first === '--help') return terminal.out(overview())
  const command = findCommand(args)
  if (!command) throw new UsageError(unknownWords(args))
  const rest = args.slice(command.name.split(' ').length)
  if (rest.includes('--help') && !command.handsOn) return terminal.out(commandHelp(command))
  await command.run(readGiven(command, rest), terminal)
}

/** Longest match: `links tail` before `links`. */
function findCommand(args: readonly string[]): Command | undefined {
  const fits = ({ name }: Command) => name.split(' ').every((word, at) => args[at] === word)
  return commands.filter(fits).sort((one, other) => other.name.length - one.name.length)[0]
}

function unknownWords(args: readonly string[]): string {
  const words = args.filter((word) => !word.startsWith('-')).slice(0, 2)
  const alike = commands.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name)
  const hint = alike.length > 0 ? `Did you mean ${alike.join(' or ')}?` : 'causeway help lists the commands.'
  return `causeway ${words.join(' ')}: unknown command. ${hint}`
}

const overview = (): string =>
  [
    'Usage: causeway COMMAND [OPTIONS]',
    '',
    ...columns(commands.map((command) => [`  ${signature(command)}`, command.summary])),
    '',
    'causeway COMMAND --help shows its options.',
    'Sign in with causeway login, or set CAUSEWAY_URL and CAUSEWAY_API_KEY.',
  ].join('\n')

const commandHelp = (command: Command): string =>
  [
    `Usage: causeway ${signature(command)} [OPTIONS]`,
    '',
    command.summary,
    '',
    ...columns(Object.entries({ ...command.options, ...commonOptions }).map(optionRow)),
    ...(command.choices ? ['', `${command.arguments?.[0]}: ${command.choices.join(', ')}`] : []),
  ].join('\n')

const signature = ({ name, arguments: wanted = [] }: Command) => [name, ...wanted].join(' ')

const optionRow = ([name, { value, summary }]: [string, Option]) => [`  --${name}${value ? ` ${value}` : ''}`, summary]
