import * as fc from 'fast-check';
import type { BoundComponent } from '../../../src/compaction/bound.ts';
import { validate } from '../../../src/shape/validate.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import type { DialectName } from '../../../src/transcript/message.ts';
import { translate } from '../../../src/wire/translate.ts';
import {
  damagedPlans,
  dialectNames,
  type Session,
  type SessionPlan,
  sessionOf,
  validPlans,
} from '../arbitraries/sessions.ts';
import { ContractBreach, type PropertyName } from './breach.ts';
import { asksWell, doesNotGrow, expands, failsOpen, freeze, keepsObjects } from './properties.ts';
import { type Pipeline, replayVariant, type Turn, type Variant } from './replay.ts';
import { type Reply, replies } from './replies.ts';
import { type RuleFilter, ruleIds, violationsAdded } from './shape.ts';
import type { Subject } from './subjects.ts';

/** One run of the contract: a session, settings, and how the model answers. */
export interface Case {
  readonly plan: SessionPlan;
  readonly settings: object;
  readonly replies: readonly Reply[];
}

export interface CaseOptions {
  readonly pipeline?: Pipeline;
  /** Which rules of the oracle apply. */
  readonly rules?: RuleFilter;
  /** Which properties are checked; all by default. */
  readonly properties?: (name: PropertyName) => boolean;
  /** Whether the session is also checked in the other dialects. */
  readonly translate?: boolean;
  /** Violations that a component cannot avoid by itself, by rule. */
  readonly guardOnly?: ReadonlySet<string>;
}

/** What a run has seen. */
export interface Observed {
  /** Whether the component changed a request. */
  readonly fired: boolean;
  /** Whether the session was a valid one. */
  readonly valid: boolean;
  /** Rules that the rewrites would have broken without the guard, of those that are the guard's. */
  readonly guarded: readonly string[];
}

/** Cases of one subject in one dialect; one session of six is a damaged one, or none. */
export function cases(subject: Subject, dialect: DialectName, damaged = true): fc.Arbitrary<Case> {
  const plan = damaged
    ? fc.oneof(
        { weight: 5, arbitrary: validPlans(dialect) },
        { weight: 1, arbitrary: damagedPlans(dialect) },
      )
    : validPlans(dialect);
  return fc.record({ plan, settings: subject.settings, replies });
}

/** @throws ContractBreach for the first property that does not hold. */
export async function checkCase(
  subject: Subject,
  { plan, settings, replies: script }: Case,
  options: CaseOptions = {},
): Promise<Observed> {
  const { rules = () => true, properties = () => true, pipeline } = options;
  const session = sessionOf(plan);
  const isValid = plan.damages.length === 0;
  const component = subject.bind(settings);
  const verify = freeze(session.lists);
  const judge = (turns: readonly Turn[], variant: Variant) => {
    for (const turn of turns) {
      if (properties('fail-open')) failsOpen(turn, script);
      if (properties('prompt')) asksWell(turn);
      if (properties('same-objects')) keepsObjects(turn, variant);
      if (properties('no-growth')) doesNotGrow(turn, variant);
      if (properties('expand')) expands(turn, variant);
    }
    const facts = { variant, settings: component.settings, replies: script };
    if (properties('reuse')) subject.reuse(turns, facts);
  };

  const guarded = new Set<string>();
  const setting = { replies: script, pipeline };
  const turns = await replayVariant(session, component, setting);
  const judgeShape = (variant: Variant, seen: readonly Turn[], property: PropertyName) => {
    if (!properties(property)) return;
    for (const [index, { before, after }] of seen.entries()) {
      if (before === after) continue;
      const added = violationsAdded(variant.dialect, before, after, variant.context, rules);
      const own = added.filter(({ rule, severity }) => {
        if (property === 'guarded') return severity === 'error';
        if (options.guardOnly?.has(rule) !== true) return true;
        guarded.add(rule);
        return false;
      });
      if (own.length === 0) continue;
      const [first] = own;
      throw new ContractBreach(
        property,
        `${variant.dialect}, request ${index}: ${first?.rule} at message ${first?.message}, ${first?.detail}`,
        ruleIds(own),
      );
    }
  };
  if (isValid) judgeShape(session, turns, 'valid');
  judge(turns, session);
  if (properties('not-mutated')) verify();

  // Where a model hangs the clock decides, and a component that runs programs may lose against it or not.
  if (properties('deterministic') && !script.includes('hang')) {
    const again = await replayVariant(session, subject.bind(settings), setting);
    expectSame(turns, again);
  }
  if (properties('guarded')) {
    const watched = await replayVariant(session, component, {
      ...setting,
      addedViolations: (before, after) => {
        const added = violationsAdded(session.dialect, before, after, session.context, rules);
        return ruleIds(added.filter(({ severity }) => severity === 'error'));
      },
    });
    judgeShape(session, watched, 'guarded');
  }
  if (isValid && options.translate !== false) {
    // Any number of the case: one that shrinking does not change much.
    const turn = subject.oneTranslation === true ? plan.script.spelling : undefined;
    for (const variant of translations(session, rules, turn)) {
      const verifyTranslated = freeze(variant.lists);
      const translated = await replayVariant(variant, component, setting);
      judgeShape(variant, translated, 'valid');
      judge(translated, variant);
      if (properties('not-mutated')) verifyTranslated();
    }
  }
  const fired = turns.some(({ report }) => report.kind === 'changed');
  return { fired, valid: isValid, guarded: [...guarded] };
}

/** The session in every other dialect, or in one of the four; each list has to be valid there too. */
function translations(
  session: Session,
  rules: RuleFilter,
  turn: number | undefined,
): readonly Variant[] {
  return dialectNames
    .filter((name) => name !== session.dialect)
    .filter((_, index) => turn === undefined || index === turn)
    .map((dialect) => {
      const table = new MessageTable();
      const lists = session.lists.map(
        (list) => translate(list, session.dialect, dialect, table).messages,
      );
      for (const [index, messages] of lists.entries()) {
        const errors = validate({ dialect, messages, context: {} }, { rules }).filter(
          ({ severity }) => severity === 'error',
        );
        const [first] = errors;
        if (first === undefined) continue;
        throw new ContractBreach(
          'translation',
          `request ${index} in ${dialect}: ${first.rule} at message ${first.message}, ${first.detail}`,
          ruleIds(errors),
        );
      }
      return { dialect, lists, context: {} };
    });
}

function expectSame(turns: readonly Turn[], again: readonly Turn[]): void {
  for (const [index, turn] of turns.entries()) {
    const texts = (one: Turn | undefined) => one?.after.map(({ raw }) => raw).join('\n');
    if (texts(turn) !== texts(again[index])) {
      throw new ContractBreach('deterministic', `request ${index} has other bytes the second time`);
    }
  }
}

/** A case as it may be printed. */
export function describeCase(
  subject: Subject,
  { plan, settings, replies: script }: Case,
  component: BoundComponent = subject.bind(settings),
): string {
  const session = sessionOf(plan);
  const last = session.lists.at(-1) ?? [];
  return [
    `component: ${component.name} ${JSON.stringify(settings)}`,
    `dialect: ${session.dialect}, around the list: ${JSON.stringify(session.context)}`,
    `model replies: ${script.join(', ')}`,
    `requests: ${session.lists.map((list) => list.length).join(', ')} messages; the last:`,
    ...last.map(
      ({ raw }, index) =>
        `  [${index}] ${raw.length > 180 ? `${raw.slice(0, 160).toWellFormed()}… (${raw.length})` : raw.toWellFormed()}`,
    ),
  ].join('\n');
}
