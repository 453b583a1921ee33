import { closestWord } from './closest-word.ts'
import { type Command, commonOptions, type Option, readGiven, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { errorLines, exitCodeOf } from './errors.ts'
import { columns } from './table.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Returns the exit code: 0, 1 if the command failed, 2 for wrong usage, 75 if the deployment is away. */
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
  const names = commands.map(({ name }) => name)
  const closest = closestWord(words.join(' '), names) ?? closestWord(words[0] ?? '', names)
  const hint = closest === undefined ? 'causeway help lists the commands.' : `Did you mean causeway ${closest}?`
  return `causeway ${words.join(' ')}: unknown command. ${hint}`
}

const overview = (): string =>
  [
    'Usage: causeway COMMAND [OPTIONS]',
    '',
    ...columns(
      commands.filter(({ handsOn }) => !handsOn).map((command) => [`  ${signature(command)}`, command.summary]),
    ),
    '',
    `Operators run these where the server runs: ${commands.flatMap(({ name, handsOn }) => (handsOn ? [name] : [])).join(', ')}.`,
    'causeway COMMAND --help shows its options.',
    'Sign in with causeway login, or set CAUSEWAY_URL and CAUSEWAY_API_KEY.',
  ].join('\n')

const commandHelp = (command: Command): string =>
  [
    `Usage: causeway ${signature(command)} [OPTIONS]${command.program === undefined ? '' : ` [-- ${command.program}]`}`,
    '',
    command.summary,
    '',
    ...columns(Object.entries({ ...command.options, ...commonOptions }).map(optionRow)),
    ...(command.choices ? ['', `${command.arguments?.[0]}: ${command.choices.join(', ')}`] : []),
  ].join('\n')

const signature = ({ name, arguments: wanted = [] }: Command) => [name, ...wanted].join(' ')

const optionRow = ([name, { value, summary }]: [string, Option]) => [`  --${name}${value ? ` ${value}` : ''}`, summary]
