import { type Command, readGiven, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { errorLines, exitCodeOf } from './errors.ts'
import { commandHelp, overview } from './help.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Returns the exit code: 0, 1 where something failed, 2 where the command was used wrongly. */
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
  if (first === undefined || first === 'help' || first === '--help') return terminal.out(overview(commands))
  const command = findCommand(args)
  if (!command) throw new UsageError(unknownWords(args))
  const rest = args.slice(command.name.split(' ').length)
  if (rest.includes('--help') && !command.handsOn) return terminal.out(commandHelp(command))
  await command.run(readGiven(command, rest), terminal)
}

/** The longest name that fits: `links tail` before `links`. */
function findCommand(args: readonly string[]): Command | undefined {
  const fits = ({ name }: Command) => name.split(' ').every((word, at) => args[at] === word)
  return commands.filter(fits).sort((one, other) => other.name.length - one.name.length)[0]
}

function unknownWords(args: readonly string[]): string {
  const words = args.filter((word) => !word.startsWith('-')).slice(0, 2)
  const alike = commands.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name)
  const hint = alike.length > 0 ? `There is ${alike.join(', ')}.` : 'causeway help lists the commands.'
  return `causeway ${words.join(' ')}: there is no such command. ${hint}`
}
