/** The API documentation. The gateway derives it from its OpenAPI document, whose JSON Schemas it flattens to lists of fields. */

/** An operation in one line. */
export interface ApiLine {
  /** The `operationId`, which is also the anchor of the operation. */
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The callers that the operation allows, such as `account`. */
  readonly callers: string;
}

export interface ApiGroup {
  /** The name in the URL. */
  readonly slug: string;
  readonly name: string;
  readonly about: string;
  readonly operations: readonly ApiLine[];
}

/** A part of the description of a type. `schema` is the structure that it names. */
export interface TypePart {
  readonly text: string;
  readonly schema?: string;
}

export interface ApiField {
  /** The path from the body, such as `data[].recordId`. */
  readonly name: string;
  readonly type: readonly TypePart[];
  readonly isRequired: boolean;
  readonly text: string;
}

/** A JSON value: its type, and the fields of its objects. */
export interface ApiValue {
  readonly type: readonly TypePart[];
  readonly text: string;
  readonly fields: readonly ApiField[];
}

export interface ApiParameter extends ApiField {
  readonly place: 'path' | 'query' | 'header';
}

export interface ApiResponse {
  readonly status: string;
  readonly text: string;
  readonly mediaTypes: readonly string[];
  readonly headers: readonly (readonly [name: string, text: string])[];
  /** Undefined if the response is not JSON. */
  readonly value: ApiValue | undefined;
}

export interface ApiExample {
  readonly language: 'curl' | 'Python' | 'JavaScript';
  readonly code: string;
}

/** A form that sends the operation. Script also sends path parameters and a token. */
export interface TryIt {
  /** The path with the path parameters of the example. */
  readonly action: string;
  readonly needsToken: boolean;
  readonly fields: readonly {
    readonly name: string;
    readonly place: 'path' | 'query';
    readonly isRequired: boolean;
    /** The value of the example. */
    readonly value: string | undefined;
    /** The only allowed values. */
    readonly options: readonly string[] | undefined;
  }[];
}

export interface ApiOperation extends ApiLine {
  readonly details: string;
  /** The class of the rate limit. */
  readonly limit: string | undefined;
  readonly parameters: readonly ApiParameter[];
  readonly body: { readonly isRequired: boolean; readonly mediaType: string; readonly value: ApiValue } | undefined;
  /** The responses with a status below 400. */
  readonly responses: readonly ApiResponse[];
  readonly errors: readonly { readonly status: string; readonly codes: string }[];
  readonly examples: readonly ApiExample[];
  /** Undefined for other methods than GET, and for path parameters that name data of one user. */
  readonly tryIt: TryIt | undefined;
}

/** A named structure that several operations use. */
export interface ApiStructure extends ApiValue {
  readonly name: string;
}

/** The index of all operations, or of those that match a search. */
export interface DocsPage {
  readonly kind: 'docs';
  readonly search: string;
  /** Only groups with a matching operation. */
  readonly groups: readonly ApiGroup[];
  /** The number of all operations. */
  readonly total: number;
  /** The conventions of all operations, in paragraphs. */
  readonly about: readonly string[];
}

/** The operations of a group in full. */
export interface DocsGroupPage {
  readonly kind: 'docs-group';
  readonly name: string;
  readonly about: string;
  readonly operations: readonly ApiOperation[];
  /** The structures that these operations use. */
  readonly structures: readonly ApiStructure[];
  readonly groups: readonly Pick<ApiGroup, 'slug' | 'name'>[];
}
