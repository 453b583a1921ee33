// The drawings of a link's states say what the table in the code says, and name causes that there are.
import { expect, test } from 'vitest'
import { causeCodes } from '../../src/onboarding/domain/cause.ts'
import { isEnded, type LinkState, linkStates, mayMove } from '../../src/onboarding/domain/link.ts'
import { readDocument } from './documents.ts'

type Arrow = { from: string; to: string; label: string }

const drawings = [...readDocument('docs/link-states.md').matchAll(/```mermaid\n(.*?)```/gs)].map(([, text = '']) =>
  [...text.matchAll(/^ {2}(\S+) --> (\S+?)(?:: (.*))?$/gm)].map(
    ([, from = '', to = '', label = '']): Arrow => ({ from, to, label }),
  ),
)
const arrows = drawings.flat()
const moves = arrows.filter(({ from, to }) => from !== '[*]' && to !== '[*]')

const inCode = linkStates.flatMap((from) =>
  linkStates.filter((to) => mayMove(from, to)).map((to) => `${from} --> ${to}`),
)

test('every move that the code allows is drawn, and no other', () => {
  const drawn = new Set(moves.map(({ from, to }) => `${from} --> ${to}`))

  expect(drawings).toHaveLength(3)
  expect([...drawn].sort()).toEqual(inCode.sort())
})

test('what is drawn as an end is one', () => {
  const ends = new Set(arrows.filter(({ to }) => to === '[*]').map(({ from }) => from as LinkState))

  expect([...ends].sort()).toEqual(linkStates.filter(isEnded).sort())
})

test('every word on an arrow that looks like a cause is one', () => {
  const words = moves.flatMap(({ label }) => label.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])

  expect(words.filter((word) => !(causeCodes as string[]).includes(word))).toEqual([])
  expect(words).toContain('worker_crashed')
})

test('whatever needs attention says why', () => {
  const silent = moves.filter(({ to, label }) => to === 'needs_attention' && label === '')

  expect(silent).toEqual([])
})
