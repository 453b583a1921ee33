import { Failure } from '../domain/failure.ts'
import type { Operation } from './operation.ts'

export type Found = { operation: Operation; params: Record<string, string> }

type Branch = {
  words: Map<string, Branch>
  any: Branch | undefined
  operations: Map<string, Operation>
}

const branch = (): Branch => ({ words: new Map(), any: undefined, operations: new Map() })

/**
 * Finds what a path asks for, word by word: a list of a hundred routes, tried one after the other, costs more than most
 * of them take to answer. A word that is spelled out goes before a parameter.
 */
export function operationTable(operations: readonly Operation[]) {
  const root = branch()
  for (const operation of operations) plant(root, operation)
  return {
    /** Undefined where there is nothing at all; the methods where there is something else. */
    find(method: string, path: string): Found | { allowed: string[] } | undefined {
      const words = wordsOf(path)
      if (!words) return undefined
      const leaves: Branch[] = []
      collect(root, words, 0, leaves)
      const leaf = leaves.find((each) => each.operations.has(method))
      const operation = leaf?.operations.get(method)
      if (operation) return { operation, params: paramsOf(operation, words) }
      return leaves[0] && { allowed: [...leaves[0].operations.keys()] }
    },
  }
}

function plant(root: Branch, operation: Operation): void {
  let at = root
  for (const word of operation.path.split('/').slice(1)) {
    const next = (word.startsWith(':') ? at.any : at.words.get(word)) ?? branch()
    if (word.startsWith(':')) at.any = next
    else at.words.set(word, next)
    at = next
  }
  at.operations.set(operation.method.toUpperCase(), operation)
}

function collect(at: Branch, words: readonly string[], depth: number, leaves: Branch[]): void {
  if (depth === words.length) {
    if (at.operations.size > 0) leaves.push(at)
    return
  }
  const spelled = at.words.get(words[depth] as string)
  if (spelled) collect(spelled, words, depth + 1, leaves)
  if (at.any) collect(at.any, words, depth + 1, leaves)
}

/** One slash at the end does no harm; an empty word anywhere else is no path of ours. */
function wordsOf(path: string): string[] | undefined {
  const words = path.split('/').slice(1)
  if (words.at(-1) === '') words.pop()
  return words.length === 0 || words.includes('') ? undefined : words
}

function paramsOf({ path }: Operation, words: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [at, word] of path.split('/').slice(1).entries()) {
    if (word.startsWith(':')) params[word.slice(1)] = decoded(words[at] as string)
  }
  return params
}

function decoded(word: string): string {
  if (!word.includes('%')) return word
  try {
    return decodeURIComponent(word)
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}
