import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { readTime } from '../../responses.ts';

export type Attributes = ReadonlyMap<string, unknown>;

/** One span, whatever exporter wrote it. */
export interface SpanRecord {
  readonly id: string;
  readonly trace: string;
  readonly parent: string | undefined;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly start: number | undefined;
  /** By flat, dotted key. */
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** Name of the service that it is of. */
  readonly service: string | undefined;
}

/**
 * The spans in a value, wherever they stand: traces with `spans`, batches of a collector, an array, spans
 * by the name of their operation, or one span.
 */
export function* spansIn(value: unknown): Generator<SpanRecord> {
  const pending: { readonly value: unknown; readonly holder: Holder }[] = [
    { value, holder: { service: undefined, processes: {} } },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: inner, holder } = next;
    if (isSpan(inner)) yield readSpan(inner, holder);
    else {
      const own = isObject(inner) ? holderOf(inner, holder) : holder;
      for (const part of partsOf(inner).reverse()) pending.push({ value: part, holder: own });
    }
  }
}

/** True when there is a span where exporters put them: not deep, and not behind many other things. */
export function holdsSpan(value: unknown, depth = 0): boolean {
  if (isSpan(value)) return true;
  return (
    depth < DEEPEST &&
    partsOf(value)
      .slice(0, WIDEST)
      .some((part) => holdsSpan(part, depth + 1))
  );
}

/** `{trace: {resourceSpans: [{scopeSpans: [{spans: [span]}]}]}}` is eight levels deep. */
const DEEPEST = 8;
const WIDEST = 12;

/** The values in which spans may stand. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...value];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    NO_SPANS.has(key) || typeof entry !== 'object' ? [] : [entry],
  );
}

/** What the spans below it take from an object around them. */
interface Holder {
  readonly service: string | undefined;
  readonly processes: JsonObject;
}

const NO_SPANS = new Set([
  'resource',
  'processes',
  'attributes',
  'tags',
  'events',
  'logs',
  'links',
]);

function holderOf(value: JsonObject, above: Holder): Holder {
  const processes = isObject(value.processes) ? value.processes : above.processes;
  const resource = isObject(value.resource) ? attributesOf(value.resource.attributes) : undefined;
  const named = resource?.get('service.name');
  return { service: typeof named === 'string' ? named : above.service, processes };
}

/** True for an object with the id of a span, and attributes. */
function isSpan(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return (
    idOf(value) !== undefined && (hasAttributes(value.attributes) || hasAttributes(value.tags))
  );
}

function hasAttributes(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

function idOf(span: JsonObject): string | undefined {
  const ids = [
    span.spanId,
    span.spanID,
    span.span_id,
    contextOf(span).spanId,
    contextOf(span).span_id,
    'traceId' in span ? span.id : undefined,
  ];
  return ids.find((id) => typeof id === 'string' && id !== '')?.toString();
}

function contextOf(span: JsonObject): JsonObject {
  const context = span.spanContext ?? span.span_context ?? span.context;
  return isObject(context) ? context : {};
}

function readSpan(span: JsonObject, holder: Holder): SpanRecord {
  const context = contextOf(span);
  const owner = isObject(holder.processes) ? holder.processes[stringOf(span.processID)] : undefined;
  const service = isObject(owner) ? owner.serviceName : holder.service;
  const trace =
    span.traceId ?? span.traceID ?? span.trace_id ?? context.traceId ?? context.trace_id;
  return {
    id: idOf(span) ?? '',
    trace: typeof trace === 'string' ? trace : '',
    parent: parentOf(span),
    name: nameOf(span),
    start: startOf(span),
    attributes: attributesOf(span.attributes ?? span.tags),
    events: eventsOf(span),
    service: typeof service === 'string' ? service : undefined,
  };
}

function nameOf(span: JsonObject): string {
  const name = span.name ?? span.operationName;
  return typeof name === 'string' ? name : '';
}

function parentOf(span: JsonObject): string | undefined {
  const context = isObject(span.parentSpanContext) ? span.parentSpanContext.spanId : undefined;
  const references: readonly unknown[] = Array.isArray(span.references) ? span.references : [];
  const referred = references.filter(isObject).find((entry) => entry.refType !== 'FOLLOWS_FROM');
  const ids = [
    ...[span.parentSpanId, span.parentSpanID, span.parent_span_id, span.parent_id, span.parentId],
    ...[context, referred?.spanID, referred?.spanId],
  ];
  return ids.find((id) => typeof id === 'string' && id !== '')?.toString();
}

/** Exporters tell times in seconds and nanoseconds, ISO, nano-, micro- or milliseconds. */
function startOf(span: JsonObject): number | undefined {
  const start =
    span.startTimeUnixNano ?? span.start_time_unix_nano ?? span.startTime ?? span.start_time;
  return toMilliseconds(start ?? span.timestamp);
}

function toMilliseconds(value: unknown): number | undefined {
  if (Array.isArray(value)) {
    const [seconds, nanoseconds] = value;
    if (typeof seconds !== 'number' || typeof nanoseconds !== 'number') return undefined;
    return seconds * 1000 + Math.floor(nanoseconds / 1e6);
  }
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return readTime(value);
  // 1e17 ns, 1e14 µs and 1e11 ms are all in the year 1973. Nanoseconds are more than a number can hold.
  if (number > 1e17) return Math.round(number / 1e6);
  return number > 1e14 ? Math.floor(number / 1e3) : readTime(number);
}

function eventsOf(span: JsonObject): SpanRecord['events'] {
  const list: readonly unknown[] = Array.isArray(span.events)
    ? span.events
    : Array.isArray(span.logs)
      ? span.logs
      : [];
  return list.filter(isObject).map((event) => {
    const attributes = attributesOf(event.attributes ?? event.fields);
    const name = event.name ?? attributes.get('event');
    return { name: typeof name === 'string' ? name : '', attributes };
  });
}

/** Attributes of any spelling (members, or a list of key and value) by flat, dotted key. */
function attributesOf(value: unknown): Attributes {
  const flat = new Map<string, unknown>();
  if (Array.isArray(value)) {
    for (const entry of value) {
      if (isObject(entry) && typeof entry.key === 'string') {
        flatten(entry.key, anyValue(entry.value), flat);
      }
    }
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) flatten(key, inner, flat);
  }
  return flat;
}

function flatten(key: string, value: unknown, flat: Map<string, unknown>): void {
  if (isObject(value)) {
    for (const [inner, entry] of Object.entries(value)) flatten(`${key}.${inner}`, entry, flat);
    return;
  }
  flat.set(key, value);
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries()) {
    if (isObject(entry)) flatten(`${key}.${index}`, entry, flat);
  }
}

/** A value of the wire protocol: `{stringValue}`, `{intValue}`, `{arrayValue: {values}}`, …, or as it is. */
function anyValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [entry] = Object.entries(value);
  if (entry === undefined) return undefined;
  const [kind, inner] = entry;
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
    case 'bytesValue':
      return inner;
    case 'intValue':
      // Only texts and numbers: anything else may not even be one when it is asked.
      return typeof inner === 'string' || typeof inner === 'number' ? Number(inner) : undefined;
    case 'arrayValue': {
      const values: unknown = isObject(inner) ? inner.values : undefined;
      return Array.isArray(values) ? values.map(anyValue) : [];
    }
    case 'kvlistValue': {
      const values: unknown = isObject(inner) ? inner.values : undefined;
      return Object.fromEntries(
        (Array.isArray(values) ? values : [])
          .filter(isObject)
          .map((member) => [stringOf(member.key), anyValue(member.value)]),
      );
    }
    default:
      return value;
  }
}
