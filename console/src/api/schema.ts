// Generated from the server's OpenAPI document by `npm run generate`. Do not edit.

export interface paths {
    "/a/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a message's page
         * @description Shows the alerts that the message told, in the language of whom it was sent to, and what can be answered. It changes nothing.
         *     404 for a link that this server did not make, whose message is gone, or whose contact or membership is the person's no
         *     longer; 410 once its day is over.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: components["parameters"]["token"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Not Found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Gone */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Answer from a message's page
         * @description An answer is to every alert that the message told and that is not over.
         *     `on_it` for whoever was told; `acknowledge`, `snooze` (1 h) and `false_alarm` by role, as in the console; `off` switches a
         *     device of the place off for 1 h. Nothing can be switched on. 409 where somebody answered since the page was shown.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: components["parameters"]["token"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": components["schemas"]["MessageAnswer"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Done: the page shows how it stands */
                303: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                /** @description Forbidden */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Not Found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Conflict */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Gone */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/request-email-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a code by e-mail
         * @description As POST /auth/send-otp, for e-mail addresses alone.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RequestEmailOtp"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EmailOtpRequested"];
                    };
                };
                400: components["responses"]["BadRequest"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description No e-mail address */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by a code sent by e-mail
         * @description As POST /auth/verify-otp. A failure says what is wrong in `message` too.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VerifyEmailOtp"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Not the code, or no longer */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sign-ins of the demo
         * @description Not there on a server that is no demo.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Demo"];
                    };
                };
                /** @description Not Found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/demo/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the messages that wait to be sent
         * @description Not there on a server that is no demo: whoever reads this can sign in as anybody.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Outbox"];
                    };
                };
                /** @description Not Found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/device-profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shipped device profiles
         * @description In the order in which they are asked, after a farm's own. For everybody who is signed in.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ShippedDeviceProfile"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List farms
         * @description Those that the caller belongs to, with the role in each; the oldest membership first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Farm"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List alert rules */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alert"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create an alert rule
         * @description 422 lists everything that is wrong with the document, each with its path.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewAlert"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alert"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description An alert of that id exists */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/alerts/{alertId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an alert rule */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    alertId: components["parameters"]["alertId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alert"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Replace an alert rule
         * @description The whole document; createdAt and lastTriggered stay as they were, and so do evidence and severity where it leaves them out.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    alertId: components["parameters"]["alertId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewAlert"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alert"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete an alert rule
         * @description If it is raised it is resolved.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    alertId: components["parameters"]["alertId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change an alert rule
         * @description Switches it on or off. Only `isActive`; the rest of the document stays as it is. One that is raised and switched off is resolved.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    alertId: components["parameters"]["alertId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AlertChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alert"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/assignees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assignees
         * @description The farm's active people, by name.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Assignee"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/backtests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try rules on the past
         * @description What these rules would have done on the farm's own journal, beside what was. What people and controllers reported stays as
         *     it was, unless with a twin: then readings of the places in which the rules switch something follow what devices would have done, by a
         *     model that says how far off it is. Where the journal no longer reaches back, both are computed from minute means, and `approximate`
         *     is true. Nothing is stored or sent; who does not wait for the answer has cancelled it.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BacktestInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Backtest"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description A rule that makes no sense, or no span */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/backtests/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how far a trial of rules has come
         * @description Of one that was given a name and is being computed.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    name: components["parameters"]["name"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BacktestProgress"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/check-rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a rule
         * @description Of a rule that is being written: what its conditions see, and what a person should know before it runs, though nothing
         *     forbids it. Nothing is stored.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RuleDraft"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RuleCheck"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List commands
         * @description Newest first.
         *     While the history cannot be written the latest may be missing; then the answer has the header `harit-incomplete: history`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Of this device only. */
                    device?: string;
                    /** @description In this state only. */
                    state?: "queued" | "sent" | "acked" | "confirmed" | "failed" | "timed_out" | "superseded";
                    /** @description Decided at or after this instant. */
                    from?: number;
                    /** @description Decided before this instant. */
                    to?: number;
                    /** @description At most so many: 1 to 500, 100 by default. */
                    limit?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Command"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Send a command
         * @description Answers when the controller has answered, or after 3 s with `pending`. What the engine refuses (the device is offline,
         *     locked, in safety mode; the command makes no sense) is a `failure` with the reason, not an HTTP error. At most 30 a minute
         *     for a device; `off` and `release` are not limited.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CommandRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CommandResult"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description No such farm or device */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/commands/{commandId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a command
         * @description With what became of it.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    commandId: components["parameters"]["commandId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Command"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/conditions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what conditions see
         * @description What each sees now: the sensors in its place, or in the nearest around it that has one.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RuleConditions"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/controllers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List controllers
         * @description In the order in which they were registered. For OWNER, ADMIN and FARM_MANAGER.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Controller"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Register a controller
         * @description At any time. The answer shows its password, and nothing does again; it can be renewed. Of a place that is there already where
         *     the request names one, else with a new one, as in onboarding. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewAsset"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RegisteredAsset"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/controllers/{macid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a controller
         * @description It cannot connect any more, and its MAC can be registered again, here or elsewhere. Its sensors and devices count as gone and
         *     can be removed; its polyhouse or reservoir stays. 409 names the rules, alerts, devices and derived sensors that go by its sensors
         *     and devices alone; `anyway=true` says that this is meant. For OWNER and ADMIN.
         */
        delete: {
            parameters: {
                query?: {
                    /** @description Whether it is removed although something goes by it. */
                    anyway?: boolean;
                };
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    macid: components["parameters"]["macid"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something goes by what it has */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a controller
         * @description Names it, lets it connect, or does not.
         *     One that may not connect is cut off at once; nothing of it is forgotten. For OWNER and ADMIN.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    macid: components["parameters"]["macid"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ControllerChange"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/controllers/{macid}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the secret of a controller
         * @description The answer shows it, and nothing does again. The old one is void at once, and a connection with it ends. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    macid: components["parameters"]["macid"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RenewedSecret"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/controllers/{macid}/sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sensors of a controller
         * @description Those that it announces, with those first that just rose, the clearest before the others: for people who breathe on a
         *     sensor to find out which one it is. For OWNER, ADMIN and FARM_MANAGER.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    macid: components["parameters"]["macid"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ControllerSensor"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/crop-cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List crop cycles */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CropCycle"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a crop cycle */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CropCycleInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CropCycle"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/crop-cycles/{cycleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a crop cycle */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    cycleId: components["parameters"]["cycleId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CropCycleInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CropCycle"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a crop cycle */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    cycleId: components["parameters"]["cycleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters
         * @description What was refused of the farm's controllers, the latest first.
         *     For OWNER and ADMIN.
         */
        get: {
            parameters: {
                query?: {
                    /** @description At most so many: 1 to 500, 100 by default. */
                    limit?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadLetter"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was sent to people
         * @description The farm's messages and the codes of its people, the latest first, without what they said: what is secret is erased when it
         *     is sent. For OWNER and ADMIN.
         */
        get: {
            parameters: {
                query?: {
                    /** @description At most so many: 1 to 500, 100 by default. */
                    limit?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deliveries"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/deliveries/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send oneself a message
         * @description To their own verified contact, or to each browser in which they asked to be told, to see whether the way works. Five an hour. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No gateway is set for it, no contact is verified, or no browser asked */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/derived-sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List derived sensors
         * @description In the order in which they were made, each with its value now.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DerivedSensor"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a derived sensor
         * @description Its sensor is registered at once, and has a value as soon as its inputs have. A farm has at most 256. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DerivedSensorInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DerivedSensor"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/derived-sensors/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a derived sensor
         * @description What it would be now, or all that is wrong with it: nothing is kept. One that has the name of another takes its place. For OWNER and
         *     ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DerivedSensorInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DerivedSensorCheck"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/derived-sensors/{derivedId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a derived sensor
         * @description What counts over the day begins anew, unless it is only its name that changes. Of another type than before it loses its value.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    derivedId: components["parameters"]["derivedId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DerivedSensorInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DerivedSensor"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Rules or alerts go by its type or place */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a derived sensor
         * @description Its sensor goes with it; its history stays. 409 names the rules, alerts and other derived sensors that go by it alone.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    derivedId: components["parameters"]["derivedId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something goes by it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/device-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List device groups
         * @description Groups of devices of which so many run at a time. A device says in its limits which groups it is of.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceGroup"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a device group
         * @description Without devices. A farm has at most 64.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceGroupInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceGroup"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/device-groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a device group */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    groupId: components["parameters"]["groupId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceGroupInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceGroup"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a device group
         * @description As long as no device names it; else 409 names which.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    groupId: components["parameters"]["groupId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description A device names it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/device-profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the farm's own device profiles */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceProfile"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a device profile */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceProfileInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceProfile"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/device-profiles/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a message on the bench
         * @description What it becomes by a profile that is being written, or by those that the farm has. Nothing is kept of it and nothing happens. For
         *     OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceProfileTrial"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceProfileResult"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/device-profiles/{profileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a device profile */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    profileId: components["parameters"]["profileId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceProfileInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceProfile"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a device profile */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    profileId: components["parameters"]["profileId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List devices
         * @description `state.on` and `state.value` are what the controller reported, never what was only sent.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a device
         * @description One that is gone, as long as no rule or alert names it and no device needs it; else 409 names those that do. For OWNER and ADMIN.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Its controller still announces it, or something goes by it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a device
         * @description Names it, or says where it is.
         *     What a person says counts from then on, whatever its controller announces. Moving it disturbs nothing that it does.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssetChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get what the runs of a device came to */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 92 days. */
                    from?: number;
                    /** @description Up to, and not including, this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunEffects"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No time, or too long a time */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Set how the runs of a device are judged
         * @description All at once. Marks that were given stay.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EffectSetting"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EffectSetting"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a device
         * @description Everything that has a say about it in order of precedence, now or at an instant past, as far as the journal is kept.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The instant that is explained, in epoch milliseconds; by default now. */
                    at?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceExplanation"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description An instant that lies ahead, or before the journal */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the history of a device */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 92 days. */
                    from?: number;
                    /** @description Up to, and not including, this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceHistory"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No time, or too long a time */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the day of a device as lanes
         * @description What was so when, over at most a day: what decided about it, what it reported, what became of its commands, its locks, what people
         *     did, the phases, holds and truths of its rules, alerts of its place, and when its controller or the server was away.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 24 hours. */
                    from?: number;
                    /** @description Up to this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Lanes"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No span, or too long a one */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/lease-test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the test of a device's lease
         * @description The latest one of the device since the server started.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LeaseTest"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Test a device's lease
         * @description Of a device that a profile commands. It is locked and off first, then switched on with a lease of 10 s (or as long as was set at
         *     the device by hand), and nothing more is sent. If it goes off by itself in that time it counts as proven: only then anything
         *     switches it on. Answers at once; ask how it goes. One test of a device runs at a time.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LeaseTestRequest"];
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LeaseTest"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It has no lease to be tested, is not reachable, or somebody locked it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the limits of a device
         * @description All at once, in place of those that it had. What it used today and how often it started stay.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeviceLimitsInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lock a device
         * @description For who may command. Nothing switches it on before the lock is opened. It goes to its safe setting, which may be on: what
         *     must be off is stopped. A second lock of the same person replaces the reason of the first.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Lock"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/devices/{deviceId}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlock a device
         * @description Stops and people's locks are opened by that person, and by OWNER, ADMIN and FARM_MANAGER; the engine's (`max_on`,
         *     `keeps_stopping`, `keeps_starting`) by OWNER and ADMIN; a controller's own at the machine alone. When the last lock is
         *     opened and it was a stop, the device stays off for 10 s, so that what the rules want is seen first; a release ends that.
         *     Without a stop the rules have it at once. One that is not reachable stays locked.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    deviceId: components["parameters"]["deviceId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Unlock"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It has no such lock, is not reachable, or is to be opened at the machine */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List whether devices work
         * @description Of each device whose effect can be measured: what is expected, and how its latest runs went. And the sensors that left their neighbours.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Effects"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/escalation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who is told of alerts
         * @description The farm's chain and roster, everybody who can be named in them, and who is on duty now. A step tells when nobody has answered
         *     for so many minutes since the alert was raised; whoever answers ends it. A farm begins with: who is on duty at once, where
         *     nobody is the farm managers; after 10 minutes the farm managers; after 20 minutes, of what is critical, the owners.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Escalation"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Replace who is told of alerts
         * @description In place of the chain and the roster that were there. A chain without steps tells only whom each alert names.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EscalationInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Escalation"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/exceptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is not on automatic
         * @description Overrides, stops and locks, rules and alerts out of service, alerts of which nobody is told again, and what cannot be heard.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Exceptions"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/expenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List expenses */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Expense"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create an expense */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExpenseInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Expense"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/expenses/{expenseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace an expense */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    expenseId: components["parameters"]["expenseId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExpenseInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Expense"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete an expense */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    expenseId: components["parameters"]["expenseId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/harvests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List harvests */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Harvest"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a harvest */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HarvestInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Harvest"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/harvests/{harvestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a harvest */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    harvestId: components["parameters"]["harvestId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HarvestInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Harvest"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a harvest */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    harvestId: components["parameters"]["harvestId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a place
         * @description Every quantity of the place in one answer: the mean of its sensors, their extremes, and what each sensor comes to. A
         *     quantity that has no sensor there is that of the nearest enclosing place, as rules see it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The polyhouse; without one and without a zone the whole farm. */
                    polyhouse?: string;
                    /** @description The zone. */
                    zone?: string;
                    /** @description The sensor types, separated by commas; all by default. */
                    types?: string;
                    /** @description From this instant on; by default a day before `to`. */
                    from?: number;
                    /** @description Up to, and not including, this instant; by default now. */
                    to?: number;
                    /** @description Whether the steps of each sensor are asked for too; the steps are longer then. */
                    each?: boolean;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlaceHistory"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Too many sensors for the time, or no time at all */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/history/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the histories of devices
         * @description One answer in the order of the ids, for a page that shows a house at once. What the farm does not have is left out.
         */
        get: {
            parameters: {
                query: {
                    /** @description Their ids, separated by commas: at most 32. */
                    devices: string;
                    /** @description From this instant on; by default a day before `to`. At most 92 days. */
                    from?: number;
                    /** @description Up to, and not including, this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeviceHistory"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Too many devices, no time, or too long a time */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who holds each device
         * @description By precedence: locks and stops, safety mode, people, limits of the machine, rules by priority, rest.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Holders"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/incidents/{incidentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an incident
         * @description Each time that an alert is raised is an incident. By its id, or by the alert's: then the one that it is raised for, else its
         *     last. The latest 1,000 of a farm that are over are kept.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    incidentId: components["parameters"]["incidentId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Incident"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/incidents/{incidentId}/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an incident
         * @description `on_it` says that the caller looks after it; whoever reads the alert may say so, and take it back with `reopen`. `acknowledge`,
         *     `snooze` and `false_alarm`, and to take back what others said, are for OWNER, ADMIN and FARM_MANAGER. As long as it is answered
         *     nobody is told again that the alert is raised still; a snooze that ends, and an alert that matters more than when it was
         *     answered, are told once more. 409 `incident_over` with what it is now (`current`) once the alert is raised no more. At most 100
         *     answers.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    incidentId: components["parameters"]["incidentId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewIncidentAnswer"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Incident"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It is over, or has too many answers */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/incidents/{incidentId}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an incident log
         * @description Of the log since it was raised, until it was over, what rules, people and safety did in its house, newest first: at most 50.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    incidentId: components["parameters"]["incidentId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogEntry"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description For OWNER and ADMIN.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Integrations"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Make an integration
         * @description An account of MQTT that subscribes under `harit/1/{farm}/` and can publish nothing. The answer shows its password, and
         *     nothing does again; it can be renewed. A farm has at most 50. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IntegrationRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewIntegration"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description There are 50 already */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/integrations/{integrationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an integration
         * @description Its connections end at once. For OWNER and ADMIN.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    integrationId: components["parameters"]["integrationId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change an integration
         * @description Names it, lets it connect, or does not. One that may not is cut off at once. For OWNER and ADMIN.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    integrationId: components["parameters"]["integrationId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IntegrationChange"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/integrations/{integrationId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the password of an integration
         * @description The answer shows it, and nothing does again. The old one is void at once, and connections with it end. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    integrationId: components["parameters"]["integrationId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewIntegration"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the inventory */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InventoryItem"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create an inventory item */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InventoryItemInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InventoryItem"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/inventory/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace an inventory item */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    itemId: components["parameters"]["itemId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InventoryItemInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InventoryItem"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete an inventory item */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    itemId: components["parameters"]["itemId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/latest-telemetry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest telemetry
         * @description `latest` is keyed by the sensor type as on the wire (`ph`, `ec`, ...).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LatestTelemetry"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/letter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the evening letter of a day
         * @description What the day came to, told up to now while it goes on. What is not known is null or counted as not known, never zero. Money
         *     is for who may see it. 404 of a day that has not begun.
         */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD, in the farm's time; the latest that is ready by default. */
                    day?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Letter"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/letter/choice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose whether to be told of letters
         * @description When a letter is ready, at 19:00 of the farm's time. Owners and farm managers are told unless they chose otherwise.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LetterChoice"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/letter/week": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the week of a day
         * @description The week, from Monday on, in which the day lies: a table a house, a row a day.
         */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD, in the farm's time; the latest that is ready by default. */
                    day?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LetterWeek"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List log entries
         * @description Newest first.
         *     Device, user and rule are called by their names of then, controllers by those of now. An entry whose commands are not yet
         *     answered is pending and changes later. Contacts are for OWNER and ADMIN.
         */
        get: {
            parameters: {
                query?: {
                    /** @description About this only. */
                    type?: "manual_command" | "rule_trigger" | "rule_deploy" | "safety_override" | "device_offline" | "other";
                    /** @description That came out so only. */
                    result?: "success" | "failure" | "pending";
                    /** @description With this in the name of the device, the controller or the rule, whatever the case. */
                    device?: string;
                    /** @description With this in the name of the user, whatever the case. */
                    user?: string;
                    /** @description At or after this instant. */
                    from?: number;
                    /** @description At or before this instant. */
                    to?: number;
                    /** @description From 1 on; 1 by default. */
                    page?: number;
                    /** @description 1 to 500; 20 by default. */
                    pageSize?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogPage"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No such page, or no time at all */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List notes */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Note"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a note */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NoteInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Note"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a note */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    noteId: components["parameters"]["noteId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NoteInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Note"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a note */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    noteId: components["parameters"]["noteId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * @description In the language of `Accept-Language`. What happens again within an hour and was not read stays one notification. The
         *     latest 200 are kept.
         */
        get: {
            parameters: {
                query?: {
                    /** @description At most so many: 1 to 200, 50 by default. */
                    limit?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Notifications"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        /** Clear notifications */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark all notifications as read */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/notifications/{notificationId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark a notification as read */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    notificationId: components["parameters"]["notificationId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/nurseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List nurseries */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Nursery"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a nursery */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NurseryInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Nursery"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/nurseries/{nurseryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a nursery */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    nurseryId: components["parameters"]["nurseryId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NurseryInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Nursery"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a nursery */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    nurseryId: components["parameters"]["nurseryId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List outages
         * @description When the server was off, controllers could not be reached and phase sensors told no power, and what came of each: what was
         *     missed, ended, and sent again. As far as log and history tell.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default 7 days before `to`. At most 92 days. */
                    from?: number;
                    /** @description Up to this instant; by default now. */
                    to?: number;
                    /** @description From 1 on; 1 by default. */
                    page?: number;
                    /** @description 1 to 50; 20 by default. */
                    pageSize?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OutagePage"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No such page, or no time at all */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/polyhouses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List polyhouses */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Polyhouse"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a polyhouse
         * @description Without zones. A farm has at most 500.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPolyhouse"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Polyhouse"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/polyhouses/{polyhouseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a polyhouse
         * @description Its zones stay.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PolyhouseInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Polyhouse"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a polyhouse
         * @description With its zones, as long as nothing is in it and nothing refers to it; else 409 names what does.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something is in it or refers to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/polyhouses/{polyhouseId}/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the day of a polyhouse as lanes
         * @description What was so when, over at most a day: of each device what it reported, with its value, who decided about it and what its runs came
         *     to; the phases of the rules that name its devices, what people did, its alerts, and when its controllers or the server were away.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 24 hours. */
                    from?: number;
                    /** @description Up to this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Lanes"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No span, or too long a one */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a zone
         * @description In a polyhouse, which has at most 200.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ZoneInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Zone"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The polyhouse has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a zone */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                    zoneId: components["parameters"]["zoneId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ZoneInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Zone"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a zone
         * @description As long as nothing is in it and nothing refers to it; else 409 names what does.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    polyhouseId: components["parameters"]["polyhouseId"];
                    zoneId: components["parameters"]["zoneId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something is in it or refers to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/position": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the position of a farm
         * @description In place of what was known. It is needed for sunrise, sunset and the weather outside.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FarmPosition"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmPosition"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the report of a period
         * @description By month and by crop cycle, from harvests, sales, expenses and what was bought for the store.
         */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Report"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/reservoirs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reservoirs
         * @description A reservoir's level is what the level sensors of its controllers say.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reservoir"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a reservoir
         * @description A farm has at most 500. One that no controller serves has no level.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReservoirInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reservoir"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/reservoirs/{reservoirId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a reservoir */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    reservoirId: components["parameters"]["reservoirId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReservoirInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reservoir"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a reservoir
         * @description As long as no controller serves it; else 409 names which.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    reservoirId: components["parameters"]["reservoirId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description A controller serves it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/reservoirs/{reservoirId}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what ran at a reservoir
         * @description The pumps, valves, foggers and dosing pumps of its controllers, and what the sensors of type flow and volume by them measured. A device's
         *     volume is time x flow: the flow that was commanded, else that of its limits. What was not reported is counted as not known.
         */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD, in the farm's time; six days before `to` by default. */
                    from?: string;
                    /** @description YYYY-MM-DD, that day included; today by default. At most 92 days. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    reservoirId: components["parameters"]["reservoirId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReservoirLedger"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No days, or too many */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List rules */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rule"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a rule
         * @description 422 lists everything that is wrong with the document, each with its path. One that is deployed with a hazard that is blocking is
         *     refused, unless an owner names it in `overHazards`.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The kinds of hazard over which an owner deploys the rule, separated by commas: circle, dosing, flood. */
                    overHazards?: string;
                };
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRule"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rule"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description A rule of that id exists, or this one has a hazard that is blocking */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/rules/{ruleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a rule */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rule"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Replace a rule
         * @description The whole document. An edit of a running rule stops it; one that changes nothing but labels disturbs nothing.
         */
        put: {
            parameters: {
                query?: {
                    /** @description The kinds of hazard over which an owner deploys the rule, separated by commas: circle, dosing, flood. */
                    overHazards?: string;
                };
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRule"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rule"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It has a hazard that is blocking */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a rule
         * @description If it is running it stops. 409 names the rules and alerts that ask whether it runs.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something goes by it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a rule
         * @description Enables, disables or deploys it. Only `mode` and `deployed`; the rest of the document stays as it is. A running rule that is no longer active stops. What
         *     is so already disturbs nothing.
         */
        patch: {
            parameters: {
                query?: {
                    /** @description The kinds of hazard over which an owner deploys the rule, separated by commas: circle, dosing, flood. */
                    overHazards?: string;
                };
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RuleChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rule"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It has a hazard that is blocking */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/rules/{ruleId}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a rule
         * @description Where it stands now or stood at an instant past: each part of its conditions with its truth and evidence, and what would have
         *     to change.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The instant that is explained, in epoch milliseconds; by default now. */
                    at?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RuleExplanation"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description An instant that lies ahead, or before the journal */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/rules/{ruleId}/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the day of a rule as lanes
         * @description What was so when, over at most a day: its phases, holds and the truths of its conditions, what became of it at its devices, what
         *     people did, alerts of its place, and when controllers or the server were away.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 24 hours. */
                    from?: number;
                    /** @description Up to this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Lanes"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No span, or too long a one */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/rules/{ruleId}/why-not": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say why a rule did not act
         * @description When it came nearest in a span of at most a day, and what kept it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. At most 24 hours. */
                    from?: number;
                    /** @description Up to this instant; by default now. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    ruleId: components["parameters"]["ruleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WhyNot"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description No span, too long a one, or one before the journal */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sales */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sale"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a sale */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SaleInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sale"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/sales/{saleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a sale */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    saleId: components["parameters"]["saleId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SaleInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sale"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a sale */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    saleId: components["parameters"]["saleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sensors
         * @description All that the farm knows, heard of or not.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RegisteredSensor"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/sensors/{sensorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a sensor
         * @description One that is gone. Its history stays. 409 names the rules, alerts and derived sensors that go by it alone. For OWNER and ADMIN.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    sensorId: components["parameters"]["sensorId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Its controller still announces it, or something goes by it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a sensor
         * @description Names it, or says where it is.
         *     What a person says counts from then on, whatever its controller announces. Moving it is an edit of each rule whose
         *     conditions then go by other sensors.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    sensorId: components["parameters"]["sensorId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssetChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RegisteredSensor"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/sensors/{sensorId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the history of a sensor */
        get: {
            parameters: {
                query?: {
                    /** @description From this instant on; by default a day before `to`. */
                    from?: number;
                    /** @description Up to, and not including, this instant; by default now. */
                    to?: number;
                    /** @description The length of a step in seconds, 60 to 604800; 60 by default. Rounded up to whole minutes. */
                    step?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    /** @description `/` in an id is written `%2F` */
                    sensorId: components["parameters"]["sensorId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SensorHistory"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Too many steps, or no time at all */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/setpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List setpoints
         * @description Named targets with a course over the day, with which rules compare.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmSetpoint"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a setpoint
         * @description A farm has at most 64.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FarmSetpointInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmSetpoint"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/setpoints/{setpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a setpoint
         * @description All rules that name it compare with what it is from then on; their holds go on where they are true still. The answer names them.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    setpointId: components["parameters"]["setpointId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FarmSetpointInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmSetpoint"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description It is to be of another sensor type, and rules name it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /**
         * Delete a setpoint
         * @description As long as no rule or alert names it; else 409 names which.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    setpointId: components["parameters"]["setpointId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Something goes by it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/stock-movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stock movements */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StockMovement"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a stock movement */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StockMovementInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StockMovement"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/stock-movements/{movementId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a stock movement */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    movementId: components["parameters"]["movementId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StockMovementInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StockMovement"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a stock movement */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    movementId: components["parameters"]["movementId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stops
         * @description Those that hold, and how far each got. A WORKER is told of his own, and of those where he was given the house or the device.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Stops"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Stop devices
         * @description Everything in the scope is off and locked by the caller, whatever its safe setting is, until that is opened. For every role.
         *     Answers as soon as it is written down and sent; ask again with the same `id` to see it confirmed. 120 a minute, which no
         *     other request uses up.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StopRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StopResult"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/stop/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open stops
         * @description Those in a scope: one's own, and for OWNER, ADMIN and FARM_MANAGER everybody's. Answers with the devices as they are then: one that has no lock
         *     left stays off for 10 s (`state.mode` manual), so that what the rules want (`desired`) is seen first; a release ends that. One
         *     that is not reachable stays stopped.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OpenStops"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Device"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the summary of a farm */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmSummary"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/sun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get sunrise and sunset
         * @description By the sun's upper edge at a horizon without hills, for each of the farm's days. Without the farm's position there are none.
         */
        get: {
            parameters: {
                query?: {
                    /** @description From the farm's day of this instant on; by default today. */
                    from?: number;
                    /** @description Up to the farm's day of this instant, which is part of it; by default the same day. At most 62 days. */
                    to?: number;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sun"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tasks
         * @description By column (open, in progress, in review, closed), in each from top to bottom.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Create a task
         * @description At the end of its column. A farm has at most 2000.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaskInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many tasks */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the summary of the tasks */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TaskSummary"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks/{taskId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a task
         * @description One whose status changes goes to the end of its new column.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaskInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a task */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks/{taskId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a task
         * @description Into a column, to its top or right below another task. However many people move tasks at once, all see one order.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaskMove"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks/{taskId}/photo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the photo of a task
         * @description JPEG or WebP.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/jpeg": components["schemas"]["Photo"];
                        "image/webp": components["schemas"]["Photo"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List templates */
        get: {
            parameters: {
                query?: {
                    /** @description YYYY-MM-DD; of records that have a day. */
                    from?: string;
                    /** @description YYYY-MM-DD. */
                    to?: string;
                };
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"][];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /** Create a template */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TemplateInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The farm has too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/templates/{templateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace a template */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    templateId: components["parameters"]["templateId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TemplateInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete a template */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    templateId: components["parameters"]["templateId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Other records refer to it */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of a farm
         * @description Whose they are, what they may and when they were last used, of everybody who belongs to the farm. Nothing tells what they are
         *     known by, or which other farms they reach. For OWNER.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmTokens"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a token in a farm
         * @description It does not reach the farm from now on, and its live connections hear nothing more of it; in other farms of its owner's it stays
         *     what it is.
         *     For OWNER.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    tokenId: components["parameters"]["tokenId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/unknown-senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unknown senders
         * @description What controllers' accounts sent on topics that no profile has, or of which it reads nothing, and what devices announced
         *     and nobody reads; the latest first. What it probably is, is proposed: a person decides. For OWNER and ADMIN.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UnknownSenders"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/unknown-senders/take": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take over an unknown sender
         * @description Writes what a person confirmed into a profile of the farm's own, or adds to the one of these topics, so that the next message
         *     becomes readings; and makes the sensors known in their place. For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TakeOver"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TakenOver"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description For OWNER, ADMIN and FARM_MANAGER.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmUsers"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Add a person
         * @description For who has no account yet. The contacts are claims until a code that was sent to one of them was used: with it the new user signs in. A contact that
         *     has an account is refused: it must be invited, and decides itself.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewFarmUser"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmUser"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Conflict */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a person
         * @description Who belongs to no other farm is forgotten. Owners cannot be removed.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    userId: components["parameters"]["userId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a person
         * @description Role, and of people who belong to this farm alone also name, contact and language. The last active owner stays one. A new
         *     contact is a claim; the one before is told, and all sign-ins of the person end.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    userId: components["parameters"]["userId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FarmUserChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmUser"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The contact is taken, or the last owner would be gone */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/users/{userId}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a person
         * @description They may sign in to the farm again.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    userId: components["parameters"]["userId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmUser"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/users/{userId}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate a person
         * @description They are let in no longer: at once, on HTTP and on live connections, and in this farm alone. The last active owner stays active.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    userId: components["parameters"]["userId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmUser"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The last owner would be gone */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/users/{userId}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the sign-ins of a person
         * @description Of people who belong to this farm alone: a lost phone, say.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    userId: components["parameters"]["userId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/verdict": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the verdict of a farm
         * @description One word for the farm and for each polyhouse, worst first: not_known, danger, out_of_range, by_hand, well; not_set_up where
         *     nothing is there. It is never better than what is known, and a farm that cannot be asked has a verdict too. Sent as the
         *     live event `verdict` when it changes.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmVerdict"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/weather": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the weather
         * @description From a weather service by the farm's position; without one from the farm's own outside sensors (those whose scope is the
         *     farm); without those `source` is `none` and `reason` says why.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Weather"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/work": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one's own work
         * @description For WORKER.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Work"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/work/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Command a device that one was given
         * @description For WORKER; as POST .../commands, with less: on and off for a while, a pulse, back to the rules where the caller has it.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WorkCommand"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CommandResult"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/work/tasks/{taskId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a task of one's own
         * @description For WORKER, who has no others. One that is closed stays as it is.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
                    "If-Match"?: components["parameters"]["IfMatch"];
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WorkTaskChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        ETag: components["headers"]["ETag"];
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                412: components["responses"]["PreconditionFailed"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/api/farms/{farmId}/work/tasks/{taskId}/photo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the photo of a task of one's own */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/jpeg": components["schemas"]["Photo"];
                        "image/webp": components["schemas"]["Photo"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Put a photo of a task of one's own
         * @description JPEG or WebP of at most 400 KiB, in place of the one before. A farm has at most 500; those of closed tasks go first.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "image/jpeg": components["schemas"]["Photo"];
                    "image/webp": components["schemas"]["Photo"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        /** Delete the photo of a task of one's own */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    farmId: components["parameters"]["farmId"];
                    taskId: components["parameters"]["taskId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sensor-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sensor types
         * @description Everything that can be measured, with units and ranges, in the order in which it is listed to people. For everybody who is signed in.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SensorTypeRow"][];
                    };
                };
                401: components["responses"]["Unauthorized"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write lines
         * @description InfluxDB's line protocol, as Telegraf and many devices speak it; organisation and bucket are passed over. It is a message on
         *     `telegraf/http/write`.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The unit of the instants: nanoseconds. */
                    precision?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/octet-stream": number[];
                };
            };
            responses: {
                /** @description They are durable, or a dead letter that harms nobody */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                /** @description Unauthorized */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description Forbidden */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description They could not be read */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description All other sign-ins end. An account without a password gets its first one by POST /auth/set-password.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ChangePassword"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description The old one is wrong, or the new one is too short */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/complete-onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete onboarding */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm who is signed in
         * @description By password or code. For 5 minutes this sign-in may then change contacts.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description No contact is verified */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/confirm/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a code to confirm with
         * @description To a verified contact of theirs.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OtpSent"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description No contact is verified */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/contacts/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a code to a contact
         * @description To one that is not verified yet.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ClaimedContact"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OtpSent"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description It is no contact of the caller's that waits to be verified */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/contacts/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a contact
         * @description It takes the place of the verified one before, which is told. All other sign-ins end.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VerifyContact"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description It is no contact of the caller's that waits to be verified */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It is another account's */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get where codes go
         * @description Open to anybody: pages say it instead of claiming that something was sent.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Delivery"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by password
         * @description Open to anybody. An unknown contact and a wrong password get the same answer. Failed tries are limited: 429 says in
         *     Retry-After how many seconds to wait.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LoginRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Unknown contact or wrong password */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Its token is refused from now on, and its live connections are closed.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get who is signed in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change who is signed in
         * @description Another number needs a sign-in that was confirmed within 5 minutes (POST /auth/confirm). It is a claim until its code was
         *     used (POST /auth/contacts/verify); until then the number before stays.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProfileChange"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                /** @description Confirm first that it is you */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        trace?: never;
    };
    "/auth/me/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one's browsers that are told
         * @description The browsers in which they asked for it, and the key for which a browser subscribes.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Push"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Be told in a browser
         * @description Of the alerts that they are told of, from now on, as long as this sign-in lasts. One browser a sign-in: another one takes its place.
         *     Whoever chose their ways has Web Push among them then.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PushBrowser"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                /** @description Web Push is not set */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me/push/{browserId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Be told in a browser no more */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    browserId: components["parameters"]["browserId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me/push/{browserId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to a browser of one's own
         * @description To see whether it comes. Five an hour.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    browserId: components["parameters"]["browserId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description Web Push is not set */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me/told": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get how one is told */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToldChoice"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        /**
         * Choose how one is told
         * @description By which ways, where a contact for them is verified, and when not: in quiet hours a message waits until they end, unless
         *     the alert is critical, and is not sent if the alert is over or answered by then.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ToldChoice"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToldChoice"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register
         * @description Open to anybody. The new user becomes the owner of a new farm, and is signed in. A contact that is taken fails as
         *     "Registration failed".
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RegisterRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Conflict */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/send-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a code
         * @description Open to anybody; the answer is the same whether or not the contact has an account. A code has 6 digits, is good for 5
         *     minutes, 5 tries and one use, for the device (`X-Harit-Device`) or the address that asked for it, and makes the one before
         *     void. That asker gets one a minute and 5 an hour: 429 says in Retry-After how many seconds to wait.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SendOtp"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OtpSent"];
                    };
                };
                400: components["responses"]["BadRequest"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description No contact */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sign-ins */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sessions"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        /**
         * End all sign-ins
         * @description This one included: sign out everywhere.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a sign-in */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    id: components["parameters"]["id"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/set-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password
         * @description Within 10 minutes after a sign-in by code, once. All other sign-ins end. So ends "Forgot your password?".
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetPassword"];
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                /** @description The sign-in was not by code, or is not fresh */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description What programs may do in the caller's name. No token lists them.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Tokens"];
                    };
                };
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Make a token
         * @description READ looks at what the caller's role shows; CONTROL also commands devices, stops and locks them. In the farms that are
         *     named, and never more than the caller's role there allows at the time of each request. No token changes anything else: rules,
         *     people, controllers, invitations, passwords, tokens. It needs a sign-in that was confirmed within 5 minutes
         *     (POST /auth/confirm). A person has at most 20.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TokenRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewToken"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                /** @description Confirm first that it is you */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description There are 20 already */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description It is refused from now on, and its live connections are closed.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    id: components["parameters"]["id"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                409: components["responses"]["Conflict"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by code
         * @description Open to anybody. A wrong code, a void one and an unknown contact get the same answer.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VerifyOtp"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Not the code, or no longer */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the server is alive */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alive"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/msg91": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take MSG91's receipts
         * @description MSG91 signs nothing: its address carries a word that follows from the auth key, and without it nothing is read.
         */
        post: {
            parameters: {
                query?: {
                    /** @description HMAC-SHA256 of `harit receipts` under the auth key, in hex. */
                    token?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": string;
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                /** @description MSG91 is not set, or the word is wrong */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/twilio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take what Twilio sends
         * @description What is not signed with the auth token is refused. An answer is one of the words of a message: 1 on it, 2 seen, 3 later, 4 false
         *     alarm, `off` and a device's name. It counts for the alert that its number was told last, and what was done is said back.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": string;
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/xml": string;
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Twilio is not set, or it is not signed by it */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/whatsapp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the address of receipts
         * @description Not there without `whatsapp` in the server's settings.
         */
        get: {
            parameters: {
                query?: {
                    /** @description subscribe */
                    "hub.mode"?: string;
                    /** @description The word of `whatsapp.verify_token`. */
                    "hub.verify_token"?: string;
                    /** @description Answered as it came. */
                    "hub.challenge"?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Not Found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
            };
        };
        put?: never;
        /**
         * Take WhatsApp's receipts
         * @description What is not signed with the app's secret is refused; what says nothing new, because it came before, is counted and changes
         *     nothing.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                /** @description WhatsApp is not set, or it is not signed by it */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message
         * @description As a controller does by MQTT: readings by the farm's device profiles and the shipped ones, or Harit's own messages on the
         *     controller's topics. `Authorization` is Basic with the controller's MAC and password, or `Token` with both and a colon between
         *     them; who cannot send it gives `id` and `password` in the address. The body may be JSON, a form, or whatever else the profile
         *     reads, also compressed (gzip). It is answered once the message is durable. What no profile reads is among the farm's dead letters.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The topic that the message would have by MQTT: it says which device profile reads it. */
                    topic?: string;
                    /** @description The controller's MAC, of who cannot send `Authorization`. */
                    id?: string;
                    /** @description Its password, likewise. */
                    password?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/octet-stream": number[];
                };
            };
            responses: {
                /** @description It is durable, or a dead letter that harms nobody */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                /** @description Unauthorized */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The topic is somebody else's */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                /** @description It could not be read */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics
         * @description What the server counts, in Prometheus' text format.
         *     Readable with the configured metrics token as bearer token. Without it from loopback, unless a proxy sent the request on
         *     (`X-Forwarded-For`, `X-Real-IP`, `Forwarded`, `Via`), or `server.behind_tls` says that one is in front. A proxy on the same machine
         *     that sends none of these makes every caller look like loopback: let it not pass this path on.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                /** @description Not from this machine, and without the token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No metrics are kept */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets
         * @description For OWNER, ADMIN and FARM_MANAGER.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The caller's first farm by default. */
                    farmId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Assets"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The caller belongs to no farm */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        /**
         * Register assets
         * @description All of them, or none. POLYHOUSE creates a polyhouse of that name with one zone, FERTIGATION a reservoir. A MAC that is
         *     registered in this farm already is said as such (`already_registered`); of one that another farm has, only that it is taken
         *     (`mac_taken`): who runs the server can give it free (`harit controllers release`). For OWNER and ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RegisterAssets"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RegisteredAssets"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The caller belongs to no farm */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invite-user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person
         * @description The link goes to the contact, is good for 7 days and for one use. It takes the place of an open invite for the same
         *     contact. Another link, to be passed on by hand, is in the answer; whichever is used first uses up both. For OWNER, and for ADMIN as far as FARM_MANAGER and VIEWER. At most 20 a day.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewInvite"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InviteMade"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The person belongs to the farm, or the caller to none */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invite/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an opened invite
         * @description As POST /onboarding/invite/{token}/accept, with the token in the body.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AcceptOpenedInvite"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description The contact has an account: sign in with it */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description Unknown, used, revoked or too old */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invite/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an invite
         * @description Open to whoever has it. The token stands in the body, so that it is in no log of paths.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InviteToken"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InviteOfLink"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Unknown, used, revoked or too old */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invite/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invite
         * @description Open to whoever has it.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: components["parameters"]["token"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InviteOfLink"];
                    };
                };
                /** @description Unknown, used, revoked or too old */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invite/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invite
         * @description Open to whoever has the link, once. A contact without an account gets one. A contact with one joins with it, and must
         *     show that it is theirs: by its password, or by a bearer token of it. Who accepts is signed in.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    token: components["parameters"]["token"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AcceptInvite"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description The contact has an account: sign in with it */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description Unknown, used, revoked or too old */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                409: components["responses"]["Conflict"];
                413: components["responses"]["PayloadTooLarge"];
                415: components["responses"]["UnsupportedMediaType"];
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invites
         * @description The latest one of each contact in the last 90 days, with what became of it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The caller's first farm by default. */
                    farmId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Invites"];
                    };
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The caller belongs to no farm */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/onboarding/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invite
         * @description Its link leads nowhere from now on.
         */
        delete: {
            parameters: {
                query?: {
                    /** @description The caller's first farm by default. */
                    farmId?: string;
                };
                header?: {
                    /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
                    "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                };
                path: {
                    id: components["parameters"]["id"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                400: components["responses"]["BadRequest"];
                401: components["responses"]["Unauthorized"];
                403: components["responses"]["Forbidden"];
                404: components["responses"]["NotFound"];
                /** @description The caller belongs to no farm */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                422: components["responses"]["UnprocessableEntity"];
                429: components["responses"]["TooManyRequests"];
                503: components["responses"]["ServiceUnavailable"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the server is ready
         * @description The journal and the history can be written, shards and farms are at work, controllers can connect, all brokers of the configuration are connected, the records answer.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Readiness"];
                    };
                };
                /** @description Service Unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Readiness"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weatherstation/updateweatherstation.php": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send a weather station's observation
         * @description As Weather Underground takes it: the fields of the address are a form, which the profile of the topic reads. Answered by
         *     `success` once it is durable, or kept as a dead letter.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The topic that the message would have by MQTT; without it `webhook/wunderground`. */
                    topic?: string;
                    /** @description The station's id: the controller's MAC. */
                    ID?: string;
                    /** @description The station's key: the controller's password. */
                    PASSWORD?: string;
                    /** @description When it was measured, in UTC, or `now`. Other fields are the values. */
                    dateutc?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is durable, or a dead letter that harms nobody */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                400: components["responses"]["BadRequest"];
                /** @description Unauthorized */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The topic is somebody else's */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It could not be read */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Who accepts. */
        AcceptInvite: {
            /** @description Needed where the contact has no account yet. */
            name?: string | null;
            /**
             * @description A new account's password, at least 8 characters; without one it signs in by code only. An account's own password,
             *     where the contact has one and the caller is not signed in with it.
             */
            password?: string | null;
        };
        /** @description Who accepts which invite. */
        AcceptOpenedInvite: components["schemas"]["AcceptInvite"] & {
            token: string;
        };
        /** @description An action as far as it is written. */
        ActionDraft: {
            command?: components["schemas"]["CommandDraft"] | null;
            device_id?: string | null;
        };
        /**
         * @description The name of an action.
         * @enum {string}
         */
        ActionName: "on" | "off" | "set_speed" | "set_position" | "set_flow_rate" | "pulse";
        /** @description An alert rule and where it stands. */
        Alert: {
            /** @description By which ways subscribers are told. */
            channels: components["schemas"]["AlertChannel"][];
            /**
             * Format: int64
             * @description How long its opposite must hold before the alert is resolved, in seconds; 0 by default.
             */
            clear_sec: number;
            /** @description What is watched. */
            conditions: components["schemas"]["AlertCondition"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            createdAt?: number | null;
            evidence?: components["schemas"]["AlertEvidence"] | null;
            /**
             * Format: int64
             * @description How long the joined condition must hold before the alert is raised, in seconds; 0 by default.
             */
            hold_sec: number;
            /** @description Its id, unique in the farm; a new alert without one gets `alert-{timestamp}`. */
            id: string;
            /** @description Whether it is watched; true by default. */
            isActive: boolean;
            /**
             * Format: int64
             * @description When subscribers were last told, in epoch milliseconds; the server keeps it.
             */
            lastTriggered?: number | null;
            /** @description How conditions are joined; all by default. */
            match: components["schemas"]["AlertMatch"];
            /** @description Its name. */
            name: string;
            only_if?: components["schemas"]["ConditionNode"] | null;
            /** @description Of which unit. */
            repeatUnit: components["schemas"]["RepeatUnit"];
            /**
             * Format: int64
             * @description How many units lie between two notifications.
             */
            repeatsIn: number;
            scope?: components["schemas"]["Scope"] | null;
            /** @description How much it matters; `warning` by default. */
            severity: components["schemas"]["AlertSeverity"];
            /** @description Who is told. */
            subscribers: components["schemas"]["Subscriber"][];
        } & {
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            status: components["schemas"]["AlertStatus"];
        };
        /** @description What is to be changed of an alert rule. */
        AlertChange: {
            /** @description Whether it is watched. */
            isActive?: boolean | null;
        };
        /**
         * @description The ways in which subscribers are told.
         * @enum {string}
         */
        AlertChannel: "EMAIL" | "WHATSAPP" | "SMS" | "PUSH";
        /** @description One condition of an alert. */
        AlertCondition: {
            /** @description Its id; a label. */
            id?: string | null;
            /** @description How it is compared. */
            operator: components["schemas"]["AlertOperator"];
            /** @description What is measured. */
            sensor: components["schemas"]["AlertSensor"];
            /** @description The unit that was shown; a label. */
            unit?: string | null;
            /**
             * Format: double
             * @description With what.
             */
            value: number;
        };
        /** @description An alert rule. */
        AlertDocument: {
            /** @description By which ways subscribers are told. */
            channels: components["schemas"]["AlertChannel"][];
            /**
             * Format: int64
             * @description How long its opposite must hold before the alert is resolved, in seconds; 0 by default.
             */
            clear_sec: number;
            /** @description What is watched. */
            conditions: components["schemas"]["AlertCondition"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            createdAt?: number | null;
            evidence?: components["schemas"]["AlertEvidence"] | null;
            /**
             * Format: int64
             * @description How long the joined condition must hold before the alert is raised, in seconds; 0 by default.
             */
            hold_sec: number;
            /** @description Its id, unique in the farm; a new alert without one gets `alert-{timestamp}`. */
            id: string;
            /** @description Whether it is watched; true by default. */
            isActive: boolean;
            /**
             * Format: int64
             * @description When subscribers were last told, in epoch milliseconds; the server keeps it.
             */
            lastTriggered?: number | null;
            /** @description How conditions are joined; all by default. */
            match: components["schemas"]["AlertMatch"];
            /** @description Its name. */
            name: string;
            only_if?: components["schemas"]["ConditionNode"] | null;
            /** @description Of which unit. */
            repeatUnit: components["schemas"]["RepeatUnit"];
            /**
             * Format: int64
             * @description How many units lie between two notifications.
             */
            repeatsIn: number;
            scope?: components["schemas"]["Scope"] | null;
            /** @description How much it matters; `warning` by default. */
            severity: components["schemas"]["AlertSeverity"];
            /** @description Who is told. */
            subscribers: components["schemas"]["Subscriber"][];
        };
        /**
         * @description How a raised alert ended, other than by its condition.
         * @enum {string}
         */
        AlertEnd: "deleted" | "disabled" | "changed" | "registry";
        /**
         * @description What an alert's conditions are compared with.
         * @enum {string}
         */
        AlertEvidence: "worst" | "mean";
        /** @description A condition that has to last. */
        AlertHolding: {
            /**
             * Format: int64
             * @description When it will have lasted long enough; later if readings are still missing.
             */
            due: number;
            /**
             * Format: int64
             * @description Since when it is so.
             */
            since: number;
        };
        /**
         * @description How an alert's conditions are joined.
         * @enum {string}
         */
        AlertMatch: "all" | "any";
        /**
         * @description The comparisons of alerts.
         * @enum {string}
         */
        AlertOperator: ">" | "<" | "=" | ">=" | "<=";
        /**
         * @description The sensors that alerts name.
         * @enum {string}
         */
        AlertSensor: "Temperature" | "Humidity" | "Soil Moisture" | "pH" | "EC" | "Water Level" | "Light Intensity" | "CO2 Level" | "Soil Temperature" | "Water Temperature" | "Leaf Wetness" | "Air Pressure" | "Line Pressure" | "Wind Speed" | "Wind Direction" | "Rain" | "Rain Rate" | "Flow" | "Volume" | "PAR" | "UV Index" | "Solar Radiation" | "Battery" | "Voltage" | "Current" | "Power" | "Energy" | "Frequency" | "Phase Present" | "Weight" | "Distance" | "CO Level" | "NH3 Level" | "Vapour Pressure Deficit" | "Dew Point" | "Wet Bulb" | "Absolute Humidity" | "Daily Light Integral" | "Growing Degree Days" | "Rate of Change" | "Hours" | "Number";
        /**
         * @description How much an alert matters.
         * @enum {string}
         */
        AlertSeverity: "critical" | "warning" | "info";
        /** @description Where an alert rule stands. */
        AlertStatus: {
            /** @description Whether its joined condition is met just now; null while its data is missing, or it is not watched. */
            condition: boolean | null;
            holding: components["schemas"]["AlertHolding"] | null;
            incident: components["schemas"]["IncidentBrief"] | null;
            /**
             * Format: int64
             * @description When subscribers are told again.
             */
            nextNotification: number | null;
            /** @description Whether it is raised. */
            raised: boolean;
            /**
             * Format: int64
             * @description Since when it is raised.
             */
            raisedSince: number | null;
            /**
             * Format: int64
             * @description Since when it is not known any more whether it is as bad still, while it is raised.
             */
            unknownSince: number | null;
            /** @description The sensors on whose values it is raised and that are silent: it is over only when they are heard again, or removed. */
            waitsFor: components["schemas"]["AwaitedSensor"][];
        };
        /** @description The server is alive. */
        Alive: {
            /** @example ok */
            status: string;
        };
        /**
         * @description What somebody answers.
         * @enum {string}
         */
        AnswerKind: "on_it" | "acknowledge" | "snooze" | "false_alarm" | "reopen";
        /** @description Who answered. */
        Answerer: {
            /** @description Null where the account is gone. */
            id: string | null;
            name: string;
        };
        /** @description A registered asset. */
        Asset: {
            /** Format: int64 */
            createdAt: number;
            farmId: string;
            /** @description The same as `macid`. */
            id: string;
            /** @description 12 upper-case hex digits. */
            macid: string;
            name: string;
            polyhouseId: string | null;
            reservoirId: string | null;
            type: components["schemas"]["AssetKind"];
        };
        /** @description What is to be changed of a sensor or a device; what is left out stays. */
        AssetChange: {
            /** @description Up to 120 characters; blank takes a sensor's name away. */
            name?: string | null;
            scope?: components["schemas"]["Scope"] | null;
        };
        /**
         * @description What an asset is.
         * @enum {string}
         */
        AssetKind: "POLYHOUSE" | "FERTIGATION" | "GATEWAY";
        /** @description The assets of a farm. */
        Assets: {
            assets: components["schemas"]["Asset"][];
        };
        /** @description Somebody who can be given a task. */
        Assignee: {
            id: string;
            name: string;
        };
        /** @description A sensor that an alert waits for. */
        AwaitedSensor: {
            id: string;
            /** @description Its name; its id where it has none. */
            name: string;
        };
        BTreeMap: {
            [key: string]: {
                [key: string]: {
                    /**
                     * Format: int64
                     * @description When the newest of its readings was taken.
                     */
                    at: number;
                    /** @description Empty for pH. */
                    unit: string;
                    /**
                     * Format: double
                     * @description Rounded to two decimals.
                     */
                    value: number;
                    wanted: components["schemas"]["Range"] | null;
                };
            };
        };
        /** @description What was, and what would have been with other rules. */
        Backtest: {
            /**
             * @description The journal does not reach so far back: both are computed from minute means, with the farm as it is set now and without what
             *     people did and controllers reported.
             */
            approximate: boolean;
            /** @description What the readings do not follow: they are those that there were, whatever devices would have done. With a twin, what it does not follow. */
            feedback: components["schemas"]["BacktestFeedback"][];
            /** Format: int64 */
            from: number;
            /** @description What is dangerous about the rules that were tried, as far as the span tells. */
            hazards: components["schemas"]["BacktestHazard"][];
            /**
             * Format: int64
             * @description How much of what the farm was told made no sense with the other rules, and was left out.
             */
            left_out: number;
            /** Format: int64 */
            to: number;
            twin: components["schemas"]["BacktestTwin"] | null;
            was: components["schemas"]["BacktestRun"];
            would: components["schemas"]["BacktestRun"];
        };
        /** @description What a device did, as far as what was sent tells. */
        BacktestDevice: {
            /**
             * Format: int32
             * @description How often a limit held it back.
             */
            held: number;
            id: string;
            /** @description When it was on, `[from, to]` each; at most 500. */
            intervals: number[][];
            /**
             * Format: int32
             * @description How often a limit switched it off.
             */
            limits_reached: number;
            /**
             * Format: double
             * @description In ml; null where it is not known what flows.
             */
            ml: number | null;
            /**
             * Format: int32
             * @description How many more there are.
             */
            more: number;
            name: string;
            /** Format: int64 */
            on_ms: number;
            /** Format: int32 */
            starts: number;
        };
        /** @description A device that would have done something else, and has a part in what a rule that is tried sees. */
        BacktestFeedback: {
            device: string;
            rule: string;
            sensor_type: components["schemas"]["SensorType"] | null;
        };
        /** @description What is dangerous about a rule that was tried. */
        BacktestHazard: {
            kind: components["schemas"]["BacktestHazardKind"];
            rule: string;
        };
        /** @enum {string} */
        BacktestHazardKind: "never_fires" | "never_stops";
        /** @description Rules to be tried. */
        BacktestInput: {
            /**
             * Format: int64
             * @description From this instant on; by default a day before `to`. At most 31 days.
             */
            from?: number | null;
            /** @description A name of the asker's choice, by which how far it has come can be asked meanwhile. */
            name?: string | null;
            /** @description Rule documents, each in the place of the rule of its id; they are tried as deployed and automatic only where they say so. */
            rules?: components["schemas"]["RuleDocument"][];
            /**
             * Format: int64
             * @description Up to this instant; by default now.
             */
            to?: number | null;
            /** @description Whether readings follow a twin: a model of what the farm's houses do, fitted to the days before `from`. It takes longer. */
            twin?: boolean;
            /** @description The ids of rules that are left out. */
            without?: string[];
        };
        /** @description How far a trial has come. */
        BacktestProgress: {
            /**
             * Format: int32
             * @description How much of the span is folded, in thousandths; null where no such trial is being computed: it has not begun, or is over.
             */
            done: number | null;
        };
        /** @description What a rule did. */
        BacktestRule: {
            /** Format: int32 */
            blocked: number;
            /** Format: int32 */
            fired: number;
            /** @description When; at most 500. */
            fired_at: number[];
            /**
             * Format: int32
             * @description How often a limit held what it wanted.
             */
            held: number;
            id: string;
            name: string;
            /** Format: int64 */
            ran_ms: number;
            /** Format: int32 */
            skipped: number;
            /** Format: int32 */
            suppressed: number;
        };
        /** @description What rules and devices did. */
        BacktestRun: {
            devices: components["schemas"]["BacktestDevice"][];
            rules: components["schemas"]["BacktestRule"][];
        };
        /** @description A model of what the farm's houses do, fitted to the days before the span. */
        BacktestTwin: {
            /**
             * Format: int64
             * @description From when on it was learned.
             */
            from: number;
            /** @description The signals of the places in which the tried rules switch something, whether they follow or not. */
            places: components["schemas"]["BacktestTwinPlace"][];
            /**
             * Format: int64
             * @description Until when.
             */
            to: number;
        };
        /** @description What devices do to a signal. */
        BacktestTwinEffect: {
            /** @description The devices; of several, which always ran together, it is known only what they do together. */
            devices: string[];
            /**
             * Format: double
             * @description In the signal's unit, an hour at full, where they usually run.
             */
            per_hour: number;
            /**
             * Format: double
             * @description The standard error of that.
             */
            standard_error: number;
        };
        /** @description A signal of a place. */
        BacktestTwinPlace: {
            /**
             * Format: double
             * @description By how much "it stays as it is" is.
             */
            baseline: number | null;
            effects: components["schemas"]["BacktestTwinEffect"][];
            /**
             * Format: double
             * @description By how much the model is off an hour ahead, as the root of the mean square, in days that it had not seen; in the signal's unit.
             */
            error: number | null;
            place: components["schemas"]["Scope"];
            refused: components["schemas"]["BacktestTwinRefused"] | null;
            sensor_type: components["schemas"]["SensorType"];
            /**
             * Format: double
             * @description In how many minutes a difference shrinks to 37 % while no device runs.
             */
            time_constant_min: number | null;
            unknown: components["schemas"]["BacktestTwinUnknown"][];
            /** @description The lowest and the highest reading that there was. */
            was: number[] | null;
            /** @description The lowest and the highest that there would have been. */
            would: number[] | null;
        };
        /** @enum {string} */
        BacktestTwinRefused: "too_little_past" | "no_device" | "not_better";
        /** @description A device of which it is not known what it does. */
        BacktestTwinUnknown: {
            device: string;
            why: components["schemas"]["BacktestTwinWhy"];
        };
        /** @enum {string} */
        BacktestTwinWhy: "never_ran" | "always_ran" | "not_seen" | "contrary";
        /** @description A new password in place of the old one. */
        ChangePassword: {
            currentPassword: string;
            password: string;
        };
        /** @description A rule's claim on a device. */
        Claim: {
            /** Format: int64 */
            at: number;
            /** Format: int32 */
            priority: number;
            rule: string;
            setting: components["schemas"]["Order"];
        };
        /** @description A contact of the caller's that is not verified yet. */
        ClaimedContact: {
            contact: string;
        };
        /** @description A command and what became of it. */
        Command: {
            /** @description on, off, set_speed, set_position, set_flow_rate, pulse or release. */
            action: string;
            /**
             * Format: int64
             * @description When it was decided.
             */
            at: number;
            /**
             * Format: int32
             * @description How often it was published.
             */
            attempts: number;
            /** @description A rule's id, or rest, manual, lock, safety, max_on, limit, stop, corrected. */
            cause: string;
            /** Format: int64 */
            changed_at: number;
            command_id: string;
            device_id: string;
            /** @description What the controller said, or why it was given up. */
            message: string | null;
            owner: components["schemas"]["CommandOwner"] | null;
            state: components["schemas"]["CommandState"];
            /**
             * Format: int64
             * @description Until when the manual mode lasts that it belongs to.
             */
            until: number | null;
            /**
             * Format: double
             * @description The setting's value, or a pulse's seconds.
             */
            value: number | null;
        };
        /** @description What is asked of the device. */
        CommandAction: {
            /**
             * @description on, off, set_speed, set_position or set_flow_rate. Without one it follows from `on`, else from the value and the type
             *     of the device: 0 is off, and otherwise a vent or valve is set to a position, a dosing pump to a flow, others to a speed.
             */
            action?: string | null;
            /**
             * Format: int64
             * @description How long a pulse lasts, 1 to 60.
             */
            duration_sec?: number | null;
            /** @description `manual`, or `auto` for a release; only told. */
            mode?: string | null;
            on?: boolean | null;
            /**
             * Format: double
             * @description 0 to 100 %, or ml/s for a dosing pump.
             */
            value?: number | null;
        };
        /** @description A command as far as it is written. */
        CommandDraft: {
            action?: string | null;
        };
        /** @description Who gave a command. */
        CommandOwner: {
            name: string;
            reason: string | null;
            user_id: string;
        };
        /** @description A manual command. Who gives it is the caller, whatever the body says. */
        CommandRequest: {
            action?: components["schemas"]["CommandAction"];
            cmd_type: components["schemas"]["CommandType"];
            device_id: string;
            /**
             * Format: int64
             * @description How long an override lasts: 60 to 3600, for OWNER and ADMIN to 59999940. A release has none (or 0).
             */
            duration_sec?: number | null;
            /** @description Shown with the command. */
            reason?: string | null;
        };
        /** @description What became of a command at once. */
        CommandResult: {
            /** @description Null when no command was made. */
            command_id: string | null;
            /** @description In the caller's language where the server says it. */
            message: string | null;
            status: components["schemas"]["CommandResultStatus"];
        };
        /**
         * @description What became of a command at once.
         * @enum {string}
         */
        CommandResultStatus: "ack" | "failure" | "pending";
        /**
         * @description Where a command stands.
         * @enum {string}
         */
        CommandState: "queued" | "sent" | "acked" | "confirmed" | "failed" | "timed_out" | "superseded";
        /**
         * @description The kinds of manual command.
         * @enum {string}
         */
        CommandType: "override" | "pulse" | "release";
        /** @description A trigger or a stop condition. */
        Condition: {
            /**
             * Format: int64
             * @description How long it must hold, in seconds; 300 by default.
             * @default 300
             */
            duration_sec: number;
            /** @description How it is compared; a stop condition knows no `between`. */
            operator: components["schemas"]["Operator"];
            scope?: components["schemas"]["Scope"] | null;
            /** @description What is measured. */
            sensor_type: components["schemas"]["SensorType"];
            /**
             * Format: double
             * @description With what.
             */
            value: number;
            /**
             * Format: double
             * @description The upper end, for `between`.
             */
            value_max?: number | null;
        };
        /** @description A condition as far as it is written. */
        ConditionDraft: {
            /** Format: int64 */
            duration_sec?: number | null;
            operator?: components["schemas"]["Operator"] | null;
            scope?: components["schemas"]["Scope"] | null;
            sensor_type: components["schemas"]["SensorType"];
            /** Format: double */
            value?: number | null;
            /** Format: double */
            value_max?: number | null;
        };
        /**
         * @description A node of a tree: exactly one of `sensor_type` (with `operator`, and `value` or `setpoint`), `all`, `any`, `not`, `time`, `days`, `dates`, `rule` and
         *     `device`. At most 32 nodes a tree, 6 levels deep, 16 branches a node.
         */
        ConditionNode: {
            /** @description All of them. */
            all?: components["schemas"]["ConditionNode"][] | null;
            /** @description Any of them. */
            any?: components["schemas"]["ConditionNode"][] | null;
            dates?: components["schemas"]["DateRange"] | null;
            /** @description Weekdays: of the date, or beside `time` on which the window begins. */
            days?: components["schemas"]["Weekday"][] | null;
            /** @description A device, by its id. */
            device?: string | null;
            /**
             * Format: int64
             * @description For how long what it says must hold until it is true, in seconds; 0 by default.
             * @default 0
             */
            hold_sec: number | null;
            is?: components["schemas"]["OnOff"] | null;
            not?: components["schemas"]["ConditionNode"] | null;
            /**
             * Format: double
             * @description How much is added to the setpoint; 0 by default.
             */
            offset?: number | null;
            operator?: components["schemas"]["Operator"] | null;
            /** @description Another rule that is running, by its id. */
            rule?: string | null;
            scope?: components["schemas"]["Scope"] | null;
            sensor_type?: components["schemas"]["SensorType"] | null;
            /** @description The id of a setpoint, in place of a value; it is of that type, and the comparison greater or less, with or without equal. */
            setpoint?: string | null;
            time?: components["schemas"]["TimeWindow"] | null;
            /**
             * Format: double
             * @description With what.
             */
            value?: number | null;
            /**
             * Format: double
             * @description The upper end, for `between`.
             */
            value_max?: number | null;
        };
        /** @description What a comparison within a tree sees. */
        ConditionPart: {
            /** @description Whether it is of the stop condition. */
            of_stop: boolean;
            sensor_type: components["schemas"]["SensorType"];
            sight: components["schemas"]["Sight"] | null;
        };
        /**
         * @description A tree of conditions, and for how long it must hold. It says one of `all`, `any`, `not`, `time`, `days`, `dates`, `rule` and
         *     `device`, as [`NodeDocument`] does.
         */
        ConditionTree: {
            /** @description All of them. */
            all?: components["schemas"]["ConditionNode"][] | null;
            /** @description Any of them. */
            any?: components["schemas"]["ConditionNode"][] | null;
            dates?: components["schemas"]["DateRange"] | null;
            /** @description Weekdays: of the date, or beside `time` on which the window begins. */
            days?: components["schemas"]["Weekday"][] | null;
            /** @description A device, by its id. */
            device?: string | null;
            /**
             * Format: int64
             * @description How long it must hold, in seconds; 300 by default where it compares a signal, else 1.
             */
            duration_sec: number;
            is?: components["schemas"]["OnOff"] | null;
            not?: components["schemas"]["ConditionNode"] | null;
            /** @description Another rule that is running, by its id. */
            rule?: string | null;
            time?: components["schemas"]["TimeWindow"] | null;
        };
        /** @description By what the caller shows that it is them. */
        Confirmation: {
            /** @description From POST /auth/confirm/code. */
            otp?: string | null;
            /** @description This or `otp`. */
            password?: string | null;
        };
        /** @description A controller of the farm, and how it is. */
        Controller: components["schemas"]["Asset"] & {
            deadLetters: components["schemas"]["ControllerDeadLetters"] | null;
            /** @description How many devices it has, gone ones too. */
            devices: number;
            /** @description Whether it may connect. */
            enabled: boolean;
            /** @description As it said. */
            firmware: string | null;
            /**
             * Format: int64
             * @description When it last published anything that was good, since the server's start.
             */
            lastSeen: number | null;
            /**
             * Format: int64
             * @description Since when it cannot; none while it can, and where it was never heard.
             */
            offlineSince: number | null;
            /** @description Whether it can be reached. */
            online: boolean;
            /**
             * Format: int64
             * @description When its present password was made and told; none of one from before this was written down.
             */
            passwordAt: number | null;
            /** @description How many sensors it has, gone ones too. */
            sensors: number;
        };
        /** @description What is to be changed of a controller. */
        ControllerChange: {
            /** @description Whether it may connect. One that may not is cut off at once. */
            enabled?: boolean | null;
            /** @description 1 to 120 characters. */
            name?: string | null;
        };
        /** @description What was refused of a controller. */
        ControllerDeadLetters: {
            /**
             * Format: int64
             * @description How many messages, as far as they are kept.
             */
            count: number;
            /**
             * Format: int64
             * @description When the last one was.
             */
            lastAt: number | null;
            /** @description Why, as a stable word. */
            lastReason: string | null;
        };
        /** @description A controller that came or went. */
        ControllerMessage: {
            mac: string;
            online: boolean;
        };
        /** @description A sensor of a controller, and whether it just rose. */
        ControllerSensor: components["schemas"]["RegisteredSensor"] & {
            /**
             * Format: double
             * @description By how much it stands above its lowest reading of the last minutes, where that is more than it wavers by itself.
             */
            risen: number | null;
        };
        /** @description A corner of a setpoint's course. */
        CourseCorner: {
            /**
             * Format: int64
             * @description When, in epoch milliseconds.
             */
            at: number;
            /**
             * Format: double
             * @description Null where it is not known.
             */
            value: number | null;
        };
        /** @description What a setpoint comes to from a moment of the day on. */
        CoursePoint: {
            /** @description From when. */
            at: components["schemas"]["Moment"];
            /**
             * Format: int32
             * @description In so many steps of a minute, from the value of the point before it in the list; 0 by default: at once.
             * @default 0
             */
            ramp_min: number | null;
            /**
             * Format: double
             * @description To what; within the range of its sensor type.
             */
            value: number;
        };
        /** @description A crop in a zone, from its beginning to its end. */
        CropCycle: {
            crop: string;
            endedOn: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            expectedHarvestOn: string | null;
            expectedPricePaise: components["schemas"]["Paise"] | null;
            expectedYieldKg: components["schemas"]["Decimal"] | null;
            /** @description All that was picked, in kilograms. */
            harvestedKg: components["schemas"]["Decimal"];
            id: string;
            note: string | null;
            /** Format: int64 */
            plants: number | null;
            /** @description YYYY-MM-DD, as all days. */
            sownOn: string | null;
            stage: components["schemas"]["CurrentStage"] | null;
            stages: components["schemas"]["Stage"][];
            state: components["schemas"]["CropCycleState"];
            /** @description The day from which stages count; where there is none, the day of sowing. */
            transplantedOn: string | null;
            variety: string | null;
            /** @description The names of its polyhouse and zone; null where the zone is gone. */
            zone: string | null;
            zoneId: string;
        };
        /** @description A crop cycle as people write it. */
        CropCycleInput: {
            /** @description 1 to 120 characters. */
            crop: string;
            /** @description Not before it began. */
            endedOn?: string | null;
            expectedHarvestOn?: string | null;
            expectedPricePaise?: components["schemas"]["Paise"] | null;
            expectedYieldKg?: components["schemas"]["Decimal"] | null;
            note?: string | null;
            /** Format: int64 */
            plants?: number | null;
            sownOn?: string | null;
            /** @description Up to 20, such as those of a template. */
            stages?: components["schemas"]["Stage"][] | null;
            /** @description Not before it was sown. */
            transplantedOn?: string | null;
            variety?: string | null;
            zoneId: string;
        };
        /**
         * @description How far a cycle is.
         * @enum {string}
         */
        CropCycleState: "PLANNED" | "GROWING" | "ENDED";
        /** @description Where a crop stands. */
        CurrentStage: {
            /**
             * Format: int64
             * @description The day of the stage, from 1 on.
             */
            day: number;
            /** Format: int64 */
            days: number;
            name: string;
            setpoints: components["schemas"]["Setpoint"][];
        };
        /**
         * @description How an action's value follows a signal: straight between its points, level beyond them. The command's own value is what is set while
         *     the signal is not known.
         */
        Curve: {
            /**
             * Format: double
             * @description How far the signal moves, in its unit, until it is followed again; 0 by default.
             */
            dead_band?: number | null;
            /**
             * Format: int64
             * @description The least time between two changes, in seconds; 60 by default.
             * @default 60
             */
            least_sec: number | null;
            /** @description The signal, ascending, and the command's value there. */
            points: number[][];
            scope?: components["schemas"]["Scope"] | null;
            /** @description What is measured. */
            sensor_type: components["schemas"]["SensorType"];
            /** @description A setpoint of that type: what is followed is the signal less that. */
            setpoint?: string | null;
            /**
             * Format: double
             * @description What the command's value is a multiple of: 1 to 100 for a speed or position (1 by default), 0.1 to 10 for a flow rate (0.1 by default).
             */
            step?: number | null;
        };
        /** @description A crop cycle. */
        CycleReport: {
            cycle: string;
            cycleId: string;
            harvestedKg: components["schemas"]["GradesKg"];
            /** @description The lines of sales that name it. */
            soldPaise: components["schemas"]["Paise"];
            /** @description The expenses that name it. */
            spentPaise: components["schemas"]["Paise"];
            zone: string | null;
        };
        /** @description A part of the year, both ends included; it may pass the new year. */
        DateRange: {
            /** @description `MM-DD` */
            from: string;
            /** @description `MM-DD` */
            to: string;
        };
        /** @description Messages that were refused for one reason on one topic. */
        DeadLetter: {
            /** Format: int64 */
            count: number;
            /** Format: int64 */
            firstAt: number;
            /** Format: int64 */
            lastAt: number;
            /** @description The beginning of the latest one; what is no text is shown as a replacement character. */
            payload: string;
            /** @description Why, as a stable word. */
            reason: string;
            topic: string;
        };
        /**
         * Format: double
         * @description A quantity in millionths of its unit: a decimal number in JSON, never a float in between.
         */
        Decimal: number;
        /** @description Messages, and the ways by which they go. */
        Deliveries: {
            channels: components["schemas"]["DeliveryChannelState"][];
            /** @description The latest first. */
            messages: components["schemas"]["DeliveryMessage"][];
            /** @description What went out by each way in a month, for a year, the latest first. */
            months: components["schemas"]["DeliveryMonth"][];
        };
        /** @description How people get codes and links. */
        Delivery: {
            delivery: components["schemas"]["DeliveryWay"];
        };
        /**
         * @description A way to people.
         * @enum {string}
         */
        DeliveryChannel: "EMAIL" | "SMS" | "WHATSAPP" | "WEBHOOK" | "PUSH";
        /** @description A way, and whether it works. */
        DeliveryChannelState: {
            /**
             * Format: int64
             * @description Since when its gateway takes nothing, in epoch milliseconds; none where it does.
             */
            awaySince: number | null;
            channel: components["schemas"]["DeliveryChannel"];
            /** @description Whether a gateway is set for it. */
            connected: boolean;
        };
        /** @description What became of a message. */
        DeliveryMessage: {
            /** @description What the gateway answered. */
            answer: string | null;
            /** Format: int64 */
            attempts: number;
            /** Format: int64 */
            changedAt: number;
            channel: components["schemas"]["DeliveryChannel"];
            /** Format: int64 */
            createdAt: number;
            id: string;
            /** @description CODE, INVITE, NOTICE, ALERT or TEST */
            kind: string;
            /** @description Whose it is, where they have an account. */
            name: string | null;
            /**
             * Format: int64
             * @description When it is tried next, of a QUEUED one.
             */
            nextTryAt: number | null;
            /**
             * @description Why it waits or was given up: away, refused, too_late, no_gateway, unverified, no_browser, gone, over, answered, folded,
             *     over_share, too_many, undelivered, unreadable
             */
            reason: string | null;
            /** Format: int64 */
            sentAt: number | null;
            /** @description QUEUED, SENT, DELIVERED, READ or FAILED */
            state: string;
            /**
             * Format: int64
             * @description How many messages it stands for.
             */
            times: number;
            /** @description Of an alert; empty otherwise. */
            title: string;
            /**
             * @description Most of it is hidden; "browser" of Web Push.
             * @example o***@demo.harit
             */
            to: string;
        };
        /** @description What went out by a way in a month, and what it cost by the prices that were set then. */
        DeliveryMonth: {
            channel: components["schemas"]["DeliveryChannel"];
            /** Format: int64 */
            messages: number;
            /**
             * @description By UTC.
             * @example 2026-11
             */
            month: string;
            paise: components["schemas"]["Paise"] | null;
            /**
             * Format: int64
             * @description On the air: a long SMS has parts, each of which costs.
             */
            units: number;
        };
        /**
         * @description Where codes and links go.
         * @enum {string}
         */
        DeliveryWay: "sent" | "demo" | "log" | "nobody";
        /** @description How to sign in to the demo. */
        Demo: {
            farm: string;
            password: string;
            users: string[];
        };
        /** @description What an input is: a sensor, or the mean of a place and a type. */
        DerivedInput: {
            scope?: components["schemas"]["Scope"] | null;
            /** @description The id of a sensor. */
            sensor?: string | null;
            type?: components["schemas"]["SensorType"] | null;
        };
        /** @description What an input is now. */
        DerivedInputNow: {
            /**
             * Format: int64
             * @description When the newest of its readings was taken.
             */
            at: number | null;
            name: string;
            unit: string | null;
            /**
             * Format: double
             * @description Null while it is not known.
             */
            value: number | null;
        };
        /**
         * @description By what a derived sensor is computed.
         * @enum {string}
         */
        DerivedKind: "vpd" | "leaf_vpd" | "dew_point" | "absolute_humidity" | "wet_bulb" | "daily_light" | "degree_days" | "moving_mean" | "rate_of_change" | "time_above" | "difference" | "formula";
        /** @description What is wrong, and where. */
        DerivedProblem: {
            /** @description What, as a stable word: `required`, `unknown`, `out_of_range`, `other_type`, `no_sensor`, `formula`, `circle`. */
            code: string;
            column: number | null;
            /** @description Where in the formula, from 1. */
            line: number | null;
            /** @description What, in English: the words of formulas are. */
            message: string;
            /** @description Where, as `inputs.temperature`. */
            path: string;
        };
        /** @description A derived sensor. */
        DerivedSensor: {
            /**
             * Format: int64
             * @description When the newest reading was taken from which it followed last.
             */
            at: number | null;
            constants: {
                [key: string]: number;
            };
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            formula: string | null;
            id: string;
            /** @description As they were written: one that is left out is measured at its own place. */
            inputs: {
                [key: string]: components["schemas"]["DerivedInput"];
            };
            /** Format: int64 */
            intervalSec: number | null;
            kind: components["schemas"]["DerivedKind"];
            name: string;
            scope: components["schemas"]["Scope"];
            /** @description The id of the sensor that has its values. */
            sensorId: string;
            type: components["schemas"]["SensorType"];
            unit: string;
            /**
             * Format: double
             * @description Its value, while it is known.
             */
            value: number | null;
        };
        /** @description What a derived sensor would be. */
        DerivedSensorCheck: {
            inputs: components["schemas"]["DerivedInputNow"][];
            /** @description Whether it goes by what was, and so has a value only once it is saved. */
            later: boolean;
            problems: components["schemas"]["DerivedProblem"][];
            unit: string;
            /**
             * Format: double
             * @description Its value now; null where it is not known, and of a kind that goes by what was.
             */
            value: number | null;
        };
        /** @description A derived sensor as people write it. */
        DerivedSensorInput: {
            /** @description By name. */
            constants?: {
                [key: string]: number;
            };
            /** @description Of the kind `formula`: an expression over the names. */
            formula?: string | null;
            /** @description By name; what is left out is measured at its own place, where the kind says what. */
            inputs?: {
                [key: string]: components["schemas"]["DerivedInput"];
            };
            /**
             * Format: int64
             * @description How many seconds lie between two values at least; 10 where nothing is said.
             */
            intervalSec?: number | null;
            kind: components["schemas"]["DerivedKind"];
            /** @description Unique among the farm's derived sensors. */
            name: string;
            /** @description Where it is. */
            scope: components["schemas"]["Scope"];
            type?: components["schemas"]["SensorType"] | null;
        };
        /** @description A device. */
        Device: {
            /** @description What the rules want of it, the winner first. */
            claims: components["schemas"]["Claim"][];
            /** @description The MAC of its controller; null for who is not told. */
            controller: string | null;
            /** @description What the rules (or rest) want of it. */
            desired: components["schemas"]["Order"];
            /** @description Who wants that: a rule's id, or `rest`; `rules` for who is not told which. */
            desired_by: string;
            /** @description The version of its name, place and limits, for `If-Match`. */
            etag: string;
            /** @description Its controller no longer announces it. */
            gone: boolean;
            id: string;
            /**
             * Format: int64
             * @description When its controller last reported it.
             */
            lastUpdated: number | null;
            last_sent: components["schemas"]["Order"] | null;
            /**
             * Format: double
             * @description At how many per cent it goes on where it cannot be reached for three minutes, if it was on; null where it goes off.
             */
            leaseEnd: number | null;
            limits: components["schemas"]["DeviceLimits"] | null;
            limits_state: components["schemas"]["DeviceLimitsState"] | null;
            /**
             * Format: int64
             * @description When it will be locked for having been on for too long.
             */
            max_on_at: number | null;
            /**
             * Format: int64
             * @description The longest that it may stay on, in seconds; null for no limit.
             */
            max_on_sec: number | null;
            /**
             * Format: int64
             * @description The most seconds of pulses in an hour; null for no limit.
             */
            max_pulse_sec_per_hour: number | null;
            name: string;
            /**
             * Format: int64
             * @description Since when it is on, as far as what was sent tells.
             */
            on_since: number | null;
            /** @description Whether its controller can be reached. */
            online: boolean;
            pulse: components["schemas"]["RulePulse"] | null;
            /** @description What it does when nobody claims it. */
            rest: components["schemas"]["Order"];
            /** @description What it does when it is locked or in safety mode. */
            safe: components["schemas"]["Order"];
            scope: components["schemas"]["Scope"];
            state: components["schemas"]["DeviceState"];
            /** @description What it can do, as its controller said. */
            supportedActions: components["schemas"]["SupportedAction"][];
            type: components["schemas"]["DeviceType"];
        };
        /** @description Where a device stands. */
        DeviceEffect: {
            device_id: string;
            /** @description Empty where nothing in its place measures what it does. */
            expected: components["schemas"]["ExpectedEffect"][];
            failing: components["schemas"]["FailingEffect"] | null;
            setting: components["schemas"]["EffectSetting"];
            /**
             * Format: int64
             * @description So many of the latest runs that can be told, at most 15.
             */
            told: number;
            /**
             * Format: int64
             * @description So many of them worked.
             */
            worked: number;
        };
        /** @description Why a device does what it does. */
        DeviceExplanation: {
            /**
             * Format: int64
             * @description The instant that is explained.
             */
            at: number;
            id: string;
            name: string;
            /** @description What else there is to know, a sentence each. */
            notes: string[];
            online: boolean;
            /** @description What it is reported to do, if rules look at that; null where it is not known. */
            reported: boolean | null;
            /** @description Everything that has a say, the strongest first: the first decides. */
            steps: components["schemas"]["ExplanationStep"][];
            /**
             * Format: int64
             * @description When the deciding step ends by itself, where it does.
             */
            until: number | null;
        };
        /** @description Devices of which so many run at a time. */
        DeviceGroup: {
            /**
             * Format: int32
             * @description How many run at a time.
             */
            at_most: number;
            /** @description The version of name, number and hours, for `If-Match`. */
            etag: string;
            hours: components["schemas"]["DeviceHours"] | null;
            id: string;
            /** @description The devices that name it. */
            members: components["schemas"]["DeviceGroupMember"][];
            name: string;
            /** @description How many run now. */
            running: number;
        };
        /** @description A group as people write it. */
        DeviceGroupInput: {
            /**
             * Format: int32
             * @description How many run at a time.
             */
            at_most: number;
            hours?: components["schemas"]["DeviceHours"] | null;
            /** @description 1 to 120 characters, and no other group's. */
            name: string;
        };
        /** @description A device of a group. */
        DeviceGroupMember: {
            id: string;
            name: string;
        };
        /** @description How many of a group run. */
        DeviceGroupState: {
            /** Format: int32 */
            at_most: number;
            id: string;
            name: string;
            running: number;
        };
        /** @description What a device did. Where nothing is known of it, as while its controller could not be reached, there is no segment. */
        DeviceHistory: {
            device: string;
            /**
             * Format: int64
             * @description Later than asked for where there were more than 1,000 changes.
             */
            from: number;
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /**
             * @description Whether the segments are what its controller reported; else, of a device that never reported anything, they are what
             *     it was told.
             */
            reported: boolean;
            /** @description Oldest first. */
            segments: components["schemas"]["DeviceSegment"][];
            /** Format: int64 */
            to: number;
        };
        /** @description When machines may run: outside of it rules and people are held back, and what runs goes off. */
        DeviceHours: {
            /**
             * Format: int64
             * @description For how long it must have been true before a machine starts, in seconds; 0 by default.
             */
            for_sec?: number | null;
            /** @description What holds while it is not known whether that is true: `hold` for off, `allow` for as if it were. */
            if_unknown: components["schemas"]["UnknownHours"];
            /** @description While this is true: without `rule`, `setpoint` and `hold_sec`. */
            while: components["schemas"]["ConditionNode"];
        };
        /** @description What a machine must not do, whoever wants it. */
        DeviceLimits: {
            /** @description The ids of the farm's groups that it is of. */
            groups?: string[] | null;
            hours?: components["schemas"]["DeviceHours"] | null;
            /**
             * Format: int64
             * @description How long it stays off at least, in seconds.
             */
            min_off_sec?: number | null;
            /**
             * Format: int64
             * @description How long it stays on at least, in seconds: what rules want off stays on until then.
             */
            min_on_sec?: number | null;
            /**
             * Format: double
             * @description How much flows in a day, in ml.
             */
            ml_per_day?: number | null;
            /**
             * Format: double
             * @description What flows while it runs, in ml/s; needed with `ml_per_day`.
             */
            ml_per_sec?: number | null;
            needs?: components["schemas"]["DeviceNeeds"] | null;
            /**
             * Format: int64
             * @description How long it runs in a day, in seconds.
             */
            sec_per_day?: number | null;
            /**
             * Format: int64
             * @description How often it starts within an hour.
             */
            starts_per_hour?: number | null;
        };
        /** @description All limits of a device at once. */
        DeviceLimitsInput: {
            limits: components["schemas"]["DeviceLimits"] | null;
            /**
             * Format: int64
             * @description The longest that it may stay on, in seconds; null for no limit.
             */
            max_on_sec: number | null;
            /**
             * Format: int64
             * @description The most seconds of pulses in an hour; null for no limit.
             */
            max_pulse_sec_per_hour: number | null;
        };
        /** @description Where a device stands with its limits as of now. */
        DeviceLimitsState: {
            /**
             * Format: int64
             * @description When the day ends in which that is counted; null where nothing is used.
             */
            day_ends: number | null;
            /** @description Its groups. */
            groups: components["schemas"]["DeviceGroupState"][];
            held: components["schemas"]["HeldReason"] | null;
            /**
             * Format: int64
             * @description When time alone may change that, as far as it can be told.
             */
            held_until: number | null;
            /**
             * Format: double
             * @description What is left of that.
             */
            left_ml: number | null;
            /**
             * Format: int64
             * @description What is left of that.
             */
            left_sec: number | null;
            /** @description How often it started within the last hour. */
            starts: number;
            /**
             * Format: double
             * @description How much flowed today, in ml, if it has a budget.
             */
            used_ml: number;
            /**
             * Format: int64
             * @description How long it ran today, in seconds, if it has a budget.
             */
            used_sec: number;
        };
        /** @description A lock that holds. */
        DeviceLock: {
            by: components["schemas"]["LockOwner"] | null;
            kind: components["schemas"]["LockKind"];
            reason: string;
            /** Format: int64 */
            since: number | null;
        };
        /**
         * @description Who decides what a device does.
         * @enum {string}
         */
        DeviceMode: "auto" | "manual" | "safety";
        /** @description The devices one of which must carry a device before it starts. */
        DeviceNeeds: {
            /** @description One of these. */
            any: string[];
            /**
             * Format: int64
             * @description For how long before it starts, in seconds; 3 by default.
             */
            for_sec?: number | null;
        };
        /** @description A profile of a farm's own. */
        DeviceProfile: {
            /** @description As it was written, in TOML. */
            document: string;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            /** @description The name in its document. */
            name: string;
            /** @description The id in its document. One that a shipped profile has stands in its place. */
            profileId: string;
        };
        /** @description A profile as people write it. */
        DeviceProfileInput: {
            /** @description The document, in TOML; what is wrong with it is told by the bench. */
            document: string;
        };
        /** @description What is wrong with a profile, and where. */
        DeviceProfileProblem: {
            /** @description What, in English: the words of the document are. */
            message: string;
            /** @description Where, as `messages[0].readings[1].unit`. */
            path: string;
        };
        /** @description What a message becomes. */
        DeviceProfileResult: {
            announced: components["schemas"]["TriedAnnouncement"][];
            devices: components["schemas"]["TriedDevice"][];
            /** @description Whether it says that the controller can be reached. */
            online: boolean | null;
            /** @description What is wrong with the profile. */
            problems: components["schemas"]["DeviceProfileProblem"][];
            /** @description The id of the profile that read it. */
            profile: string | null;
            readings: components["schemas"]["TriedReading"][];
            /** @description Why it could not be read, as a stable word. */
            unread: string | null;
        };
        /** @description A message to be tried. */
        DeviceProfileTrial: {
            /** @description The profile to try, in TOML; without one the farm's own and the shipped ones are asked. */
            document?: string | null;
            /** @description What stands in it, as text. */
            payload: string;
            /** @description The message's topic. */
            topic: string;
        };
        /** @description A time in which nothing changed. */
        DeviceSegment: {
            /**
             * Format: int64
             * @description When it began; of the first segment it may lie before `from`.
             */
            at: number;
            /** @description The person's or the rule's name. */
            by: string | null;
            /** @description rule, rest, manual, lock, safety, max_on, limit or corrected; `device` where no command led to it. */
            cause: string;
            on: boolean;
            /**
             * Format: int64
             * @description When it ended; null if it goes on at `to`.
             */
            until: number | null;
            /**
             * Format: double
             * @description The value, where the device has one.
             */
            value: number | null;
        };
        /** @description Where a device stands. */
        DeviceState: {
            /** @description Why it is locked, as the first of its locks says. */
            lock: string | null;
            /** @description All its locks; locked is not empty. */
            locks: components["schemas"]["DeviceLock"][];
            /** Format: int64 */
            manualOverrideUntil: number | null;
            mode: components["schemas"]["DeviceMode"];
            /** @description As its controller last reported; null before the first report. */
            on: boolean | null;
            /** @description Whether it is in safety mode, also while an admin has it. */
            safety: boolean;
            /** @description Who has it: a person's name, a rule's id, or `system`; `rules` for who is not told which. */
            source: string;
            /**
             * Format: double
             * @description As its controller last reported; null before the first report.
             */
            value: number | null;
        };
        /**
         * @description What kind of device it is.
         * @enum {string}
         */
        DeviceType: "fan" | "vent" | "pump" | "valve" | "dosing_pump" | "fogger" | "heater" | "light" | "shade" | "curtain" | "mixing_pump" | "siren" | "sensor";
        /** @description When somebody is on duty, every week anew. */
        DutyTime: {
            /** @description The weekdays on which it begins: 1 is Monday, 7 is Sunday. */
            days: number[];
            /**
             * @description HH:MM by the farm's clock.
             * @example 22:00
             */
            from: string;
            /**
             * @description HH:MM; where it is no later than `from`, on the day after.
             * @example 06:00
             */
            to: string;
            /** @description The person's id. */
            userId: string;
        };
        /** @description The numbers behind a mark, in the signal's unit. */
        EffectNumbers: {
            /**
             * Format: double
             * @description How the signal changed.
             */
            change: number;
            /**
             * Format: double
             * @description From here on, towards `usual`, it worked.
             */
            cut: number;
            /** @description So many runs were learned from. */
            learned: number;
            /**
             * Format: int64
             * @description So many minutes before and after the start were compared.
             */
            minutes: number;
            signal: components["schemas"]["SensorType"];
            unit: string;
            /**
             * Format: double
             * @description How it does in the middle of earlier runs.
             */
            usual: number;
            /**
             * Format: double
             * @description How it does in the middle of times without a run.
             */
            without: number;
        };
        /** @description How a device's runs are judged. */
        EffectSetting: {
            /** @description What it is there for: fan, vent, heater, fogger, irrigation, pump, dosing, light or shade; null by its type. */
            kind: string | null;
            /** @description Its runs are not judged. */
            off: boolean;
            /** @description The sensor in which it shows; null for those of its place. */
            sensor_id: string | null;
            /**
             * Format: int64
             * @description Within how many minutes, 2 to 120; null by the table.
             */
            window_min: number | null;
        };
        /** @description Whether what the devices do has an effect. */
        Effects: {
            devices: components["schemas"]["DeviceEffect"][];
            drifts: components["schemas"]["SensorDrift"][];
        };
        /** @description What is said in any case. */
        EmailOtpRequested: {
            /** @example If the email exists, we sent a code. */
            message: string;
        };
        /** @description An event of the engine, as in `events.jsonl`: what else it has depends on which it is. */
        EngineEvent: {
            /** Format: int64 */
            at: number;
            /** @description Which, such as `rule_fired`. */
            event: string;
        };
        /** @description What a failed request answers. */
        Error: {
            /**
             * Format: int64
             * @description When, in epoch milliseconds.
             */
            changedAt?: number | null;
            /** @description Who changed it meanwhile, with `changed_meanwhile`. */
            changedBy?: string | null;
            /**
             * @description What went wrong, as a stable word.
             * @example unauthenticated
             */
            code: string;
            /** @description The resource as it is now, with `changed_meanwhile` and `incident_over`: in the form in which its own requests answer it. */
            current?: Record<string, never> | null;
            /** @description What went wrong, in the caller's language (Accept-Language: en, hi or mr). */
            error: string;
            /** @description The same as `error`, from the calls of the e-mail code. */
            message?: string | null;
            /** @description Each field that is wrong, where a document was refused. */
            problems?: components["schemas"]["Problem"][];
        };
        /** @description Who is told of a farm's alerts. */
        Escalation: {
            /** @description At most 200. */
            duties: components["schemas"]["DutyTime"][];
            /** @description At most 10, told in the order of their minutes. */
            steps: components["schemas"]["EscalationStep"][];
        } & {
            etag: string;
            /** @description Whether it is the chain that every farm begins with. */
            isDefault: boolean;
            /** @description Everybody who belongs to the farm and is let in, by name. */
            people: components["schemas"]["EscalationPerson"][];
            /** @description The farm's, an IANA name. */
            timezone: string;
            /** @description Whom `on_duty` means now, by id: who is on duty, else who stands in. */
            toldNow: string[];
        };
        /** @description The chain and the roster, to be put in place of what is there. */
        EscalationInput: {
            /** @description At most 200. */
            duties: components["schemas"]["DutyTime"][];
            /** @description At most 10, told in the order of their minutes. */
            steps: components["schemas"]["EscalationStep"][];
        };
        /** @description Somebody who can be told. */
        EscalationPerson: {
            id: string;
            name: string;
            /** @description Whether they are on duty now, by the roster. */
            onDuty: boolean;
            /** @description Whether a message reaches them: a verified contact, and a gateway that is set for it. */
            reached: boolean;
            role: components["schemas"]["Role"];
        };
        /** @description A step of a chain. */
        EscalationStep: {
            /**
             * Format: int64
             * @description How long nobody has answered then, in minutes.
             */
            afterMin: number;
            /** @description For alerts of which severity. */
            severities: components["schemas"]["AlertSeverity"][];
            who: components["schemas"]["EscalationWho"];
        };
        /** @description Whom a step tells. */
        EscalationWho: {
            /** @enum {string} */
            kind: "on_duty";
        } | {
            /** @enum {string} */
            kind: "role";
            role: components["schemas"]["Role"];
        } | {
            /** @enum {string} */
            kind: "people";
            people: string[];
        };
        /** @description Every so many minutes, from a time of day to a later one, both included. */
        Every: {
            /** @description `HH:MM` */
            from: string;
            /**
             * Format: int32
             * @description How many.
             */
            minutes: number;
            /** @description `HH:MM` */
            to: string;
        };
        /**
         * @description Whether a sensor counts.
         * @enum {string}
         */
        EvidenceStanding: "counts" | "stale" | "fault" | "never";
        /** @description Something that is not on automatic. */
        Exception: {
            /** @description Who, where it was a person and is known. */
            by: string | null;
            /** @description How many there are of it: of silent sensors more than one. */
            count: number;
            /** @description Its id: the device's, the rule's, the alert's, of a muted one the incident's, the controller's MAC; null of several sensors. */
            id: string | null;
            kind: components["schemas"]["ExceptionKind"];
            /** @description Its name, or the first few of several sensors. */
            names: string[];
            /** @description The polyhouse; null for the farm. */
            polyhouseId: string | null;
            /** @description Why, in the words of who did it. */
            reason: string | null;
            sensorType: components["schemas"]["SensorType"] | null;
            /**
             * Format: int64
             * @description Since when, as far as that is known.
             */
            since: number | null;
            /**
             * Format: int64
             * @description When it ends by itself.
             */
            until: number | null;
        };
        /**
         * @description What is so, in the order in which they are listed.
         * @enum {string}
         */
        ExceptionKind: "stop" | "override" | "lock" | "safety" | "lease_unproven" | "rule_disabled" | "rule_draft" | "alert_disabled" | "alert_muted" | "controller_offline" | "device_offline" | "sensors_silent";
        /** @description What in a farm is not on automatic. */
        Exceptions: {
            /** @description How many there are. */
            count: number;
            /** @description The first 200: what a person stopped or has first, of one kind the longest first. */
            items: components["schemas"]["Exception"][];
        };
        /** @description What is expected of a device in a signal of its place. */
        ExpectedEffect: {
            /**
             * Format: int64
             * @description Nothing is to be seen before so many minutes.
             */
            delay_min: number;
            /** @description rises, falls or moves */
            direction: string;
            /** @description while it runs, or lasting */
            response: string;
            /** @description The sensors. */
            sensors: string[];
            signal: components["schemas"]["SensorType"];
            /**
             * Format: int64
             * @description It is to be seen within so many minutes.
             */
            window_min: number;
        };
        /** @description Something that was paid for. */
        Expense: {
            amountPaise: components["schemas"]["Paise"];
            category: components["schemas"]["ExpenseCategory"];
            cycle: string | null;
            /** @description The crop cycle for which it was. */
            cycleId: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            note: string | null;
            /** @description YYYY-MM-DD */
            spentOn: string;
            what: string;
        };
        /**
         * @description What money was spent for.
         * @enum {string}
         */
        ExpenseCategory: "LABOUR" | "ELECTRICITY" | "WATER" | "TRANSPORT" | "REPAIR" | "RENT" | "LOAN" | "INPUT" | "OTHER";
        /** @description An expense as people write it. */
        ExpenseInput: {
            amountPaise: components["schemas"]["Paise"];
            category: components["schemas"]["ExpenseCategory"];
            cycleId?: string | null;
            note?: string | null;
            spentOn: string;
            /** @description 1 to 120 characters. */
            what: string;
        };
        /**
         * @description A side of a value.
         * @enum {string}
         */
        ExplanationBound: "above" | "at_least" | "below" | "at_most";
        /** @description What would have to change for the rule to start or, while it runs, to stop. */
        ExplanationChange: {
            /**
             * Format: int64
             * @description When it happens by itself, if everything stays as it is.
             */
            at: number | null;
            /** @description Whether these changes are enough; not so where conditions contradict each other. */
            enough: boolean;
            /**
             * Format: int64
             * @description For how long it must hold then, in milliseconds.
             */
            hold_ms: number;
            leaves: components["schemas"]["ExplanationLeafChange"][];
            /**
             * Format: int32
             * @description How many readings are missing at least.
             */
            samples: number;
            /** @description A sentence each; empty where nothing but time is missing. */
            text: string[];
            to: components["schemas"]["ExplanationChangeTo"];
        };
        /**
         * @description What is to happen.
         * @enum {string}
         */
        ExplanationChangeTo: "start" | "stop";
        /** @description A sensor as evidence. */
        ExplanationEvidence: {
            name: string | null;
            /** Format: int64 */
            read_at: number | null;
            sensor: string;
            standing: components["schemas"]["EvidenceStanding"];
            /** @description Whether it counts, and why not. */
            text: string;
            /** Format: double */
            value: number | null;
        };
        /** @description A part that would have to come to something else. */
        ExplanationLeafChange: {
            /**
             * Format: int64
             * @description Of a time: when it comes to that.
             */
            at: number | null;
            bound: components["schemas"]["ExplanationBound"] | null;
            /**
             * Format: double
             * @description How far it is from there.
             */
            by: number | null;
            /** @description Which of its nodes. */
            node: number;
            part: components["schemas"]["ExplanationPartRole"];
            /** @description Whether it must become true, or false. */
            to: boolean;
            /** Format: double */
            value: number | null;
        };
        /** @description A part of a condition. */
        ExplanationNode: {
            /**
             * Format: int32
             * @description How far below the whole.
             */
            depth: number;
            /** @description The sensors on which it stands, those that are left out first. */
            evidence: components["schemas"]["ExplanationEvidence"][];
            /** @description Whether it has parts of its own. */
            leaf: boolean;
            sensor_type: components["schemas"]["SensorType"] | null;
            /** @description What it says and sees. */
            text: string;
            truth: components["schemas"]["Truth"];
            /** @description The truth in a word. */
            truth_text: string;
            /**
             * Format: double
             * @description The mean that is compared, rounded to two decimals.
             */
            value: number | null;
        };
        /** @description What becomes of what a rule wants of a device, or would. */
        ExplanationOutcome: {
            /** @description What the rule wants of it now. */
            action: string | null;
            id: string;
            name: string;
            outcome: components["schemas"]["ExplanationOutcomeKind"];
            /** @description The rule that is stronger. */
            rule: string | null;
            /** @description In words. */
            text: string;
        };
        /**
         * @description What stands between a rule and a device.
         * @enum {string}
         */
        ExplanationOutcomeKind: "locked" | "safety" | "manual" | "outranked" | "held" | "offline" | "free";
        /** @description One condition of a rule. */
        ExplanationPart: {
            /**
             * Format: int64
             * @description Since when that holds.
             */
            hold_since: number | null;
            /** @description How far the hold on it (or, where the rule has no stop condition, on its opposite) is; null where there is none. */
            hold_text: string | null;
            /**
             * Format: int64
             * @description How long it has to hold, in milliseconds.
             */
            length_ms: number;
            /** @description Its parts, each before those below it. */
            nodes: components["schemas"]["ExplanationNode"][];
            role: components["schemas"]["ExplanationPartRole"];
            truth: components["schemas"]["Truth"];
            /** @description The truth in a word. */
            truth_text: string;
        };
        /**
         * @description Which condition of a rule.
         * @enum {string}
         */
        ExplanationPartRole: "trigger" | "guard" | "stop";
        /**
         * @description The phase of a rule.
         * @enum {string}
         */
        ExplanationPhase: "idle" | "pending" | "running";
        /** @description Something that has a say about a device. */
        ExplanationStep: {
            /** @description What it wants; null of a short run. */
            action: string | null;
            decides: boolean;
            kind: components["schemas"]["ExplanationStepKind"];
            /** @description Of a claim: the rule. */
            rule: string | null;
            /** Format: int64 */
            since: number | null;
            /** @description In a sentence. */
            text: string;
            /** Format: int64 */
            until: number | null;
            /** Format: double */
            value: number | null;
        };
        /**
         * @description The kinds of what has a say, in order of precedence.
         * @enum {string}
         */
        ExplanationStepKind: "lock" | "safety" | "manual" | "limit" | "claim" | "rest";
        /** @description What a row of runs without effect came to. */
        FailingEffect: {
            /**
             * Format: int64
             * @description How many minutes the last of them had run when it was looked at.
             */
            minutes: number;
            numbers: components["schemas"]["EffectNumbers"] | null;
            runs: number;
            /**
             * Format: int64
             * @description When the first of them began.
             */
            since: number;
        };
        /** @description A farm of the caller's. */
        Farm: {
            /** @description Those of them whose people see and switch only what they are given. */
            gives: components["schemas"]["Role"][];
            /** @example demo-farm-1 */
            id: string;
            /** @description Where it is, in words. */
            location: string | null;
            /** @description The roles of the people whom the caller may add, change and remove. */
            manages: components["schemas"]["Role"][];
            name: string;
            /** @description What the caller may do in it. */
            permissions: components["schemas"]["Permission"][];
            position: components["schemas"]["Position"] | null;
            /** @description The caller's role in it. */
            role: components["schemas"]["Role"];
            /**
             * @description Its IANA time zone: people see this time.
             * @example Asia/Kolkata
             */
            timezone: string;
        };
        /** @description Where the farm is. */
        FarmPosition: {
            position: components["schemas"]["Position"] | null;
        };
        /** @description A named target, and where it stands. */
        FarmSetpoint: {
            /** @description The day, before the first stage begins. */
            course: components["schemas"]["CoursePoint"][];
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            name: string;
            /**
             * Format: int64
             * @description When it is another next, in epoch milliseconds, as far as that is known.
             */
            next_change: number | null;
            /** @description The rules that name it: what changing it moves. */
            rules: components["schemas"]["SetpointUse"][];
            /** @description Where it belongs, with the names of now. */
            scope: components["schemas"]["Scope"];
            /** @description What it is a target of. */
            sensor_type: components["schemas"]["SensorType"];
            /** @description Which of the stages has begun last by today's date, from 0; null before the first, and where the day is not known. */
            stage: number | null;
            /** @description The days from a date on. */
            stages: components["schemas"]["SetpointStage"][];
            /** @description The corners of its course over today, ascending; two of one instant are a step. */
            today: components["schemas"]["CourseCorner"][];
            unit: string;
            /**
             * Format: double
             * @description What it is now; null where the farm's day is not known.
             */
            value: number | null;
        };
        /** @description A setpoint as people write it. */
        FarmSetpointInput: {
            /** @description The day, before the first stage begins. */
            course: components["schemas"]["CoursePoint"][];
            /** @description 1 to 120 characters, and no other setpoint's. */
            name: string;
            scope?: components["schemas"]["Scope"] | null;
            /** @description What it is a target of; it stays what it is while rules name it. */
            sensor_type: components["schemas"]["SensorType"];
            /** @description The days from a date on, ascending; none by default. */
            stages?: components["schemas"]["SetpointStage"][] | null;
        };
        /** @description A farm in numbers; null where nothing of the kind is written down. */
        FarmSummary: {
            /** @description Alert rules that are raised now. */
            activeAlerts: number;
            expectedHarvestRevenue: components["schemas"]["Paise"] | null;
            /**
             * Format: int64
             * @description Items of the inventory of which more is there than their lowest stock.
             */
            inventoryAvailablePercent: number | null;
            inventoryCost: components["schemas"]["Paise"] | null;
            /**
             * Format: int64
             * @description Batches of seedlings that were not transplanted yet.
             */
            nurseries: number;
            /**
             * Format: int64
             * @description Tasks that are not closed and whose due date lies before today, in the farm's time.
             */
            overdueTasks: number;
            polyhouses: number;
            reservoirs: number;
            salesRevenue: components["schemas"]["Paise"] | null;
            /**
             * Format: int64
             * @description Zones in which something grows.
             */
            utilizationPercent: number | null;
            zones: number;
        };
        /** @description A token of somebody's that reaches the farm. */
        FarmToken: {
            /** Format: int64 */
            createdAt: number;
            /** @description Whether its time is over. */
            expired: boolean;
            /**
             * Format: int64
             * @description None of one that does not end by itself.
             */
            expiresAt: number | null;
            id: string;
            /**
             * Format: int64
             * @description In any farm, to 10 minutes; none before its first use.
             */
            lastUsedAt: number | null;
            name: string;
            /** @description In whose name it acts. */
            ownerId: string;
            ownerName: string;
            scope: components["schemas"]["TokenScope"];
        };
        /** @description The tokens that reach the farm. */
        FarmTokens: {
            /** @description By their owners' names, then the oldest first. */
            tokens: components["schemas"]["FarmToken"][];
        };
        /** @description Somebody who belongs to the farm. */
        FarmUser: {
            /** @description Whether the caller may change name and contact: not of people who belong to other farms too. */
            canEdit: boolean;
            /** @description Whether the caller may change the role, activate, deactivate and remove. */
            canManage: boolean;
            /** @description Whether the caller may remove the person from the farm: never an owner. */
            canRemove: boolean;
            /** Format: int64 */
            createdAt: number;
            /** @description The devices that a WORKER was given to switch; empty for the others. */
            devices: string[];
            /** @description Masked for FARM_MANAGER. */
            email: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            /** @description In this farm. */
            isActive: boolean;
            /** @description Whether the person has shown by a code or a link that a contact is theirs. */
            isVerified: boolean;
            /** @description en, hi or mr */
            languagePref: string;
            name: string;
            /** @description Masked for FARM_MANAGER. */
            phone: string | null;
            /** @description The houses that a WORKER was given to see; empty for the others. */
            polyhouses: string[];
            /** @description In this farm. */
            role: components["schemas"]["Role"];
        };
        /** @description What is to be changed; what is left out stays. */
        FarmUserChange: {
            /** @description The devices that a WORKER may switch, in place of those until now: at most 200. */
            devices?: string[] | null;
            email?: string | null;
            /** @description en, hi or mr */
            languagePref?: string | null;
            name?: string | null;
            /** @description Blank takes it away. */
            phone?: string | null;
            /** @description The houses that a WORKER sees, in place of those until now: at most 200. */
            polyhouses?: string[] | null;
            role?: components["schemas"]["Role"] | null;
        };
        /** @description The farm's people. */
        FarmUsers: {
            /** @description The first member first. */
            users: components["schemas"]["FarmUser"][];
        };
        /** @description How a farm and its houses stand. */
        FarmVerdict: {
            /** @description The worst of the houses and of what lies in none. */
            farm: components["schemas"]["PlaceVerdict"];
            /** @description Each polyhouse, by id. Empty where the farm cannot be asked. */
            houses: components["schemas"]["HouseVerdict"][];
        };
        /** @description What the engine found, and what shows it. */
        FoundHazard: {
            example: components["schemas"]["HazardExample"];
            grade: components["schemas"]["HazardGrade"];
            what: components["schemas"]["HazardFound"];
        };
        /**
         * @description How good a harvest is.
         * @enum {string}
         */
        Grade: "A" | "B" | "C" | "WASTE";
        /** @description Kilograms, by grade. */
        GradesKg: {
            a: components["schemas"]["Decimal"];
            b: components["schemas"]["Decimal"];
            c: components["schemas"]["Decimal"];
            waste: components["schemas"]["Decimal"];
        };
        /** @description What was picked of a crop cycle on a day. */
        Harvest: {
            cycle: string;
            cycleId: string;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            grade: components["schemas"]["Grade"];
            /** @description YYYY-MM-DD */
            harvestedOn: string;
            id: string;
            note: string | null;
            weightKg: components["schemas"]["Decimal"];
            /** @description The names of the cycle's polyhouse and zone; null where the zone is gone. */
            zone: string | null;
        };
        /** @description A harvest as people write it. */
        HarvestInput: {
            cycleId: string;
            grade: components["schemas"]["Grade"];
            harvestedOn: string;
            note?: string | null;
            /** @description Kilograms, with up to three decimals. */
            weightKg: components["schemas"]["Decimal"];
        };
        /** @description What a person should know of a rule before it runs. */
        Hazard: {
            /** @enum {string} */
            kind: "no_sensor";
            place: components["schemas"]["Scope"];
            sensor_type: components["schemas"]["SensorType"];
        } | {
            /** @enum {string} */
            kind: "silent";
            place: components["schemas"]["Scope"];
            sensor_type: components["schemas"]["SensorType"];
        } | {
            /** @enum {string} */
            kind: "elsewhere";
            place: components["schemas"]["Scope"];
            sensor_type: components["schemas"]["SensorType"];
            /** @description Where they are. */
            used: components["schemas"]["Scope"];
        } | {
            /** Format: int64 */
            clear_sec: number;
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "pump";
        } | {
            /** @enum {string} */
            kind: "overlap";
        } | {
            /** Format: double */
            high: number;
            /** @enum {string} */
            kind: "chatter";
            /** Format: double */
            low: number;
            sensor_type: components["schemas"]["SensorType"];
            /** Format: int32 */
            starts_per_hour: number;
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "outranked";
            rule: components["schemas"]["NamedThing"];
        };
        /** @description A situation in which it is so. */
        HazardExample: {
            /**
             * Format: int64
             * @description When, in epoch milliseconds, where the hour is a part of it.
             */
            at: number | null;
            /** @description What is read. */
            readings: components["schemas"]["HazardReading"][];
            /** @description What devices are reported to do. */
            reports: components["schemas"]["HazardReport"][];
        };
        /** @description What is dangerous about the rule. */
        HazardFound: {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "fight";
            rule: components["schemas"]["NamedThing"];
            /** @description Whether the rule that is checked gets it. */
            wins: boolean;
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "never_wins";
            /** @description Whether it is the rule that is checked that never gets it. */
            own: boolean;
            /** @description The other rule. */
            rule: components["schemas"]["NamedThing"];
        } | {
            devices: components["schemas"]["NamedThing"][];
            /** @enum {string} */
            kind: "circle";
            /** @description The other rules on the way. */
            rules: components["schemas"]["NamedThing"][];
            /**
             * Format: int32
             * @description How often the rule starts in an hour as readings stay the same.
             */
            starts_per_hour: number;
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "limited";
            limit: components["schemas"]["HazardLimit"];
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "flood";
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "dosing";
            /** Format: int64 */
            secs: number;
        } | {
            /** @enum {string} */
            kind: "one_sensor";
            place: components["schemas"]["Scope"];
            sensor: components["schemas"]["NamedThing"];
            sensor_type: components["schemas"]["SensorType"];
        };
        /**
         * @description Whether a rule with it may be deployed: over what is blocking by an owner alone.
         * @enum {string}
         */
        HazardGrade: "blocking" | "advising";
        /**
         * @description Which limit of a device.
         * @enum {string}
         */
        HazardLimit: "hours" | "needs" | "budget" | "min_off" | "starts" | "max_on";
        /** @description A mean in a place. */
        HazardReading: {
            place: components["schemas"]["Scope"];
            sensor_type: components["schemas"]["SensorType"];
            /** Format: double */
            value: number;
        };
        /** @description What a device is reported to do. */
        HazardReport: {
            device: components["schemas"]["NamedThing"];
            on: boolean;
        };
        /** @description A device and who holds it. */
        HeldDevice: {
            holder: components["schemas"]["ExplanationStep"];
            id: string;
            /** @description The lane of precedence in which it is held. */
            lane: components["schemas"]["ExplanationStepKind"];
            name: string;
            /** @description Whether its controller can be reached. */
            online: boolean;
            /** @description What else wants it, the strongest first; its rest is left out. */
            others: components["schemas"]["ExplanationStep"][];
            /** @description What it is reported to do; null where that is not known. */
            reported: boolean | null;
            scope: components["schemas"]["Scope"];
            type: components["schemas"]["DeviceType"];
        };
        /**
         * @description Why a device is not sent what is desired.
         * @enum {string}
         */
        HeldReason: "min_on" | "needed" | "min_off" | "starts" | "group" | "needs" | "budget" | "hours";
        /** @description The good readings of one step. */
        HistoryPoint: {
            /**
             * Format: int64
             * @description The step's beginning.
             */
            at: number;
            /** Format: int64 */
            count: number;
            /** Format: double */
            last: number;
            /** Format: double */
            max: number;
            /** Format: double */
            mean: number;
            /** Format: double */
            min: number;
        };
        /** @description A hold and what it still needs. */
        Hold: {
            /**
             * Format: int64
             * @description Since when the condition is true.
             */
            hold_since: number;
            /**
             * Format: int64
             * @description How long it must be, in milliseconds.
             */
            length: number;
            /**
             * Format: int32
             * @description Samples so far.
             */
            samples: number;
            /**
             * Format: int32
             * @description Samples needed.
             */
            samples_needed: number;
        };
        /** @description Who holds the devices of a farm. */
        Holders: {
            /**
             * Format: int64
             * @description The instant of which it is told, in epoch milliseconds.
             */
            at: number;
            /** @description By device id. */
            devices: components["schemas"]["HeldDevice"][];
        };
        /** @description A mean over a house. */
        HouseMean: {
            /**
             * Format: int64
             * @description When the newest of its readings was taken.
             */
            at: number;
            /** @description Empty for pH. */
            unit: string;
            /**
             * Format: double
             * @description Rounded to two decimals.
             */
            value: number;
            wanted: components["schemas"]["Range"] | null;
        };
        /** @description The verdict of a polyhouse. */
        HouseVerdict: {
            /** @description How many more reasons there are. */
            more: number;
            name: string;
            polyhouseId: string;
            /** @description Why, the worst first. */
            reasons: components["schemas"]["VerdictReason"][];
            verdict: components["schemas"]["Verdict"];
        };
        /**
         * @description What a schedule does while its guard is unknown.
         * @enum {string}
         */
        IfUnknown: "run" | "skip";
        /** @description An incident: an alert that was raised. */
        Incident: components["schemas"]["IncidentBrief"] & {
            alertId: string;
            /** @description What people answered, oldest first. */
            answers: components["schemas"]["IncidentAnswer"][];
            /** @description Whether one of the conditions is enough. */
            any: boolean;
            conditions: components["schemas"]["IncidentCondition"][];
            ended: components["schemas"]["AlertEnd"] | null;
            /**
             * Format: int64
             * @description How long they held before it was raised, in seconds.
             */
            holdSec: number;
            /** @description What the alert is called; empty where nothing is known of it any more. */
            name: string;
            next: components["schemas"]["IncidentNextStep"] | null;
            /**
             * Format: int64
             * @description Since when it is over; null while it is raised, and where that was not heard of.
             */
            overAt: number | null;
            place: components["schemas"]["Scope"];
            /** Format: int64 */
            raisedAt: number;
            remedy: components["schemas"]["IncidentRemedy"] | null;
            severity: components["schemas"]["AlertSeverity"];
            /** @description Who was told by which message, oldest first. */
            told: components["schemas"]["IncidentTold"][];
            /**
             * Format: int64
             * @description Since when it is not known any more whether it is as bad still, while it is raised.
             */
            unknownSince: number | null;
        };
        /** @description What somebody answered to an incident. */
        IncidentAnswer: {
            /** Format: int64 */
            at: number;
            by: components["schemas"]["Answerer"];
            id: string;
            kind: components["schemas"]["AnswerKind"];
            note: string | null;
            /**
             * Format: int64
             * @description Until when, of a snooze.
             */
            until: number | null;
            /** @description By what, other than the console: EMAIL, SMS or WHATSAPP. */
            way: string | null;
        };
        /** @description Where an incident stands. */
        IncidentBrief: {
            by: components["schemas"]["Answerer"] | null;
            id: string;
            state: components["schemas"]["IncidentState"];
            taken: components["schemas"]["Answerer"] | null;
            /**
             * Format: int64
             * @description Until when it is snoozed.
             */
            until: number | null;
        };
        /** @description A condition of an incident's alert. */
        IncidentCondition: {
            /**
             * Format: double
             * @description What it is compared with.
             */
            limit: number | null;
            now: components["schemas"]["IncidentNow"] | null;
            operator: components["schemas"]["Operator"];
            sensorType: components["schemas"]["SensorType"];
        };
        /** @description The step that is told next. */
        IncidentNextStep: {
            /** Format: int64 */
            at: number;
            /** @description The names of whom that would mean now. */
            people: string[];
            /** @description Its place in the chain, counted from 0. */
            step: number;
            who: components["schemas"]["EscalationWho"];
        };
        /** @description What a condition sees now. */
        IncidentNow: {
            /** @description Whether the worst of the sensors is compared, or their mean. */
            evidence: components["schemas"]["AlertEvidence"];
            holds: boolean | null;
            place: components["schemas"]["Scope"] | null;
            sensors: components["schemas"]["IncidentSensor"][];
            /**
             * Format: double
             * @description What is compared; null while no sensor is fresh.
             */
            value: number | null;
        };
        /** @description What helps against what an incident is about. */
        IncidentRemedy: {
            /** @enum {string} */
            kind: "act";
            reason: components["schemas"]["VerdictReason"];
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "switch_on";
        };
        /** @description A sensor of a condition. */
        IncidentSensor: {
            counts: components["schemas"]["SensorCounts"];
            id: string;
            /** @description Its name; its id where it has none. */
            name: string;
            /**
             * Format: int64
             * @description When its latest reading was taken.
             */
            readAt: number | null;
            /** @description Whether the alert is raised on its value: it must be heard again, or removed, before it is over. */
            remembered: boolean;
            /**
             * Format: double
             * @description While it counts.
             */
            value: number | null;
        };
        /**
         * @description Where an incident stands.
         * @enum {string}
         */
        IncidentState: "open" | "acknowledged" | "taken" | "snoozed" | "false_alarm" | "over";
        /** @description A message that told somebody of an incident. */
        IncidentTold: {
            /** @description EMAIL, SMS or WHATSAPP */
            channel: string;
            /** Format: int64 */
            createdAt: number;
            id: string;
            /** @description Null where the account is gone. */
            name: string | null;
            /**
             * Format: int64
             * @description Until when it waits, of a QUEUED one.
             */
            nextTryAt: number | null;
            /** @description Why it waits or was given up, as the deliveries have it. */
            reason: string | null;
            /** Format: int64 */
            sentAt: number | null;
            /** @description QUEUED, SENT, DELIVERED, READ or FAILED */
            state: string;
            /**
             * Format: int64
             * @description Which step of the farm's chain it was, counted from 0; null where the alert itself names the person, and of its end.
             */
            step: number | null;
            userId: string | null;
        };
        /** @description An account that reads the farm's topics. */
        Integration: {
            /** Format: int64 */
            createdAt: number;
            /** @description Whether it may connect. */
            enabled: boolean;
            /**
             * @description What it signs in with.
             * @example integration-3f09ab12cd45
             */
            id: string;
            /**
             * Format: int64
             * @description When it last connected, to a minute; none before it did.
             */
            lastConnectedAt: number | null;
            name: string;
            /**
             * Format: int64
             * @description When its present password was made and told; none of one from before this was written down.
             */
            passwordAt: number | null;
        };
        /** @description What an integration connects with. The password is shown here and never again. */
        IntegrationAccount: {
            /** @description host:port */
            address: string;
            password: string;
            /**
             * @description What it may subscribe to.
             * @example harit/1/demo-farm-1/#
             */
            topic: string;
            username: string;
        };
        /** @description What is to be changed of an integration; what is left out stays. */
        IntegrationChange: {
            /** @description Whether it may connect. One that may not is cut off at once. */
            enabled?: boolean | null;
            /** @description 1 to 80 characters. */
            name?: string | null;
        };
        /** @description An integration to be made. */
        IntegrationRequest: {
            /** @description 1 to 80 characters. */
            name: string;
        };
        /** @description The farm's integrations. */
        Integrations: {
            /**
             * @description Whether this server has the connections of MQTT. Behind a broker they are the broker's, and so are its accounts: these
             *     here open nothing.
             */
            endpoint: boolean;
            /** @description In the order in which they were made. */
            integrations: components["schemas"]["Integration"][];
        };
        /**
         * @description What something in the store is for.
         * @enum {string}
         */
        InventoryCategory: "SEED" | "FERTILISER" | "PLANT_PROTECTION" | "MEDIA" | "PACKAGING" | "TOOL" | "OTHER";
        /** @description Something that lies in the store. */
        InventoryItem: {
            category: components["schemas"]["InventoryCategory"];
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            isLow: boolean;
            lowestStock: components["schemas"]["Decimal"] | null;
            name: string;
            note: string | null;
            /** @description What the movements come to. */
            stock: components["schemas"]["Decimal"];
            unit: components["schemas"]["Unit"];
            valuePaise: components["schemas"]["Paise"] | null;
        };
        /** @description An item as people write it. */
        InventoryItemInput: {
            category: components["schemas"]["InventoryCategory"];
            lowestStock?: components["schemas"]["Decimal"] | null;
            /** @description 1 to 120 characters, and no other item's. */
            name: string;
            note?: string | null;
            /** @description Stays as it is once there are movements. */
            unit: components["schemas"]["Unit"];
        };
        /** @description An invite. */
        Invite: {
            /** Format: int64 */
            acceptedAt: number | null;
            /** @description The name of who accepted; none where that account is gone. */
            acceptedBy: string | null;
            contact: string;
            /** Format: int64 */
            createdAt: number;
            email: string | null;
            /** Format: int64 */
            expiresAt: number;
            farmId: string;
            id: string;
            /** @description The name of who invited. */
            invitedBy: string;
            /** @description en, hi or mr */
            languagePref: string;
            mobile: string | null;
            role: components["schemas"]["Role"];
            state: components["schemas"]["InviteState"];
        };
        /** @description An invite, for whoever has its link. */
        InviteForGuest: {
            contact: string;
            /** Format: int64 */
            expiresAt: number;
            farmName: string;
            /** @description Whether the contact has an account: it is then joined to the farm, after its password or signed in with it. */
            hasAccount: boolean;
            /** @description The name of who invited. */
            invitedBy: string;
            /** @description en, hi or mr */
            languagePref: string;
            role: components["schemas"]["Role"];
            /** @description Whether who invited passed the link on by hand: the contact then stays unverified, and a new account needs a password. */
            shared: boolean;
        };
        /** @description An invite that was made. */
        InviteMade: {
            invite: components["schemas"]["Invite"];
            /**
             * @description A link to pass on by hand; it is shown this once. Absolute where the server knows its address. Unlike the link that is
             *     sent to the contact it shows nobody that the contact is theirs.
             */
            link: string;
            /** @description What to pass on, in the language of whom it is for, with the link in it. */
            message: string;
        };
        /** @description What a link leads to. */
        InviteOfLink: {
            invite: components["schemas"]["InviteForGuest"];
        };
        /**
         * @description What became of an invite.
         * @enum {string}
         */
        InviteState: "open" | "accepted" | "expired" | "withdrawn";
        /** @description A link's token. */
        InviteToken: {
            token: string;
        };
        /** @description The latest invite of each contact in the last 90 days. */
        Invites: {
            /** @description The latest first. */
            invites: components["schemas"]["Invite"][];
        };
        /** @description A lane. */
        Lane: {
            /**
             * Format: int64
             * @description From when on it is not known, because it changed more than 1,500 times.
             */
            cut: number | null;
            /** @description Its name among the lanes. */
            key: string;
            kind: components["schemas"]["LaneKind"];
            /** @description Its name, or what a part of a condition says. */
            name: string;
            /** @description The rule, the device, the alert or, by its MAC, the controller that it is about. */
            of: string | null;
            part: components["schemas"]["ExplanationPartRole"] | null;
            /** @description In order. Where there is none, nothing is known, or there is nothing to tell. */
            spans: components["schemas"]["LaneSpan"][];
        };
        /**
         * @description What a lane tells.
         * @enum {string}
         */
        LaneKind: "decides" | "reported" | "command" | "locks" | "online" | "effect" | "phase" | "hold" | "truth" | "outcome" | "people" | "alert" | "server";
        /** @description A time in which nothing of a lane changed; of what a person did an instant. */
        LaneSpan: {
            effect: components["schemas"]["RunEffect"] | null;
            /** Format: int64 */
            from: number;
            /**
             * Format: int64
             * @description Of a hold: how long it has to be, in milliseconds.
             */
            length_ms: number | null;
            state: components["schemas"]["LaneState"];
            /** @description More than its word, where there is more to say. */
            text: string | null;
            /** Format: int64 */
            to: number;
            /**
             * Format: double
             * @description Of what a device is reported to do: the value that is reported, in per cent or ml/s, where it has one.
             */
            value: number | null;
        };
        /**
         * @description What is so in a span.
         * @enum {string}
         */
        LaneState: "on" | "off" | "online" | "offline" | "lock" | "stop" | "safety" | "manual" | "limit" | "claim" | "rest" | "inactive" | "idle" | "pending" | "running" | "filling" | "true" | "false" | "unknown" | "free" | "outranked" | "queued" | "sent" | "acked" | "confirmed" | "failed" | "timed_out" | "superseded" | "raised" | "down" | "worked" | "no_effect" | "cannot_tell" | "mark";
        /** @description A day as lanes. */
        Lanes: {
            /**
             * Format: int64
             * @description From this instant on everything is from the journal, to the millisecond; before it lanes are from the history and the log, and
             *     have fewer spans.
             */
            exact_from: number;
            /** Format: int64 */
            from: number;
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description In the order in which they are shown. */
            lanes: components["schemas"]["Lane"][];
            /** @description How many rules of the device, or rules and devices of the polyhouse, are not shown. */
            left_out: number;
            /** Format: int64 */
            to: number;
        };
        /**
         * @description A language of the interface.
         * @enum {string}
         */
        Language: "en" | "hi" | "mr";
        /** @description The latest telemetry of a farm. */
        LatestTelemetry: components["schemas"]["Means"] & {
            /** @description Every sensor with its latest good value, while that is fresh. */
            sensors: components["schemas"]["Sensor"][];
        };
        /** @description A test of a device's lease. */
        LeaseTest: {
            failure: components["schemas"]["LeaseTestFailure"] | null;
            /**
             * Format: int64
             * @description After how many seconds the device has to go off.
             */
            seconds: number;
            /**
             * Format: int64
             * @description When it began, in epoch milliseconds.
             */
            startedAt: number;
            state: components["schemas"]["LeaseTestState"];
        };
        /**
         * @description Why nothing is proven.
         * @enum {string}
         */
        LeaseTestFailure: "not_off" | "not_on" | "too_early" | "stayed_on" | "not_shown" | "unreachable" | "stopped" | "server";
        /** @description Consent to a test. */
        LeaseTestRequest: {
            /** @description That somebody made sure of it: the device is switched on. Nothing is tested without. */
            nobodyAtTheMachine?: boolean;
        };
        /**
         * @description What a test is at.
         * @enum {string}
         */
        LeaseTestState: "switching_off" | "switching_on" | "waiting" | "proven" | "failed";
        /** @description What is left of a device's budget today. */
        LedgerBudget: {
            device_id: string;
            /** Format: double */
            left_ml: number | null;
            /** Format: int64 */
            left_sec: number | null;
            /** Format: double */
            ml_per_day: number | null;
            name: string;
            /**
             * Format: int64
             * @description What it has in a day.
             */
            sec_per_day: number | null;
        };
        /** @description A day of a reservoir. */
        LedgerDay: {
            /** @description YYYY-MM-DD */
            day: string;
            devices: components["schemas"]["LedgerDevice"][];
            /** @description What its meters measured. */
            meters: components["schemas"]["LedgerReading"][];
        };
        /** @description A device on a day, or on all of them. */
        LedgerDevice: {
            device_id: string;
            /** Format: double */
            ml: number | null;
            name: string;
            /** Format: int64 */
            on_sec: number;
            /** @description By who decided it. */
            shares: components["schemas"]["LedgerShare"][];
            type: components["schemas"]["DeviceType"];
            /**
             * Format: int64
             * @description How long it is not known what it did, in seconds: its controller was away, or the server was off.
             */
            unknown_sec: number;
        };
        /** @description A meter of a reservoir. */
        LedgerMeter: {
            /** @description The devices whose amounts are compared with what it measured; none where nobody knows whose water it measures. */
            devices: string[];
            name: string | null;
            sensor_id: string;
            /** @description flow or volume. */
            type: components["schemas"]["SensorType"];
        };
        /** @description What a meter measured on a day, or on all of them, beside what its devices came to. */
        LedgerReading: {
            /**
             * Format: double
             * @description What its devices came to by time and flow, in ml; null where that cannot be compared: no devices, an unknown flow, or gaps.
             */
            computed_ml: number | null;
            /** @description Whether both lie apart by more than 20 % of the larger and by more than 20 L. */
            differs: boolean;
            /**
             * Format: double
             * @description What was measured, in ml; null where there was no reading.
             */
            ml: number | null;
            /** @description How often a volume meter began anew; what it counted around that is not in `ml`. */
            restarts: number;
            sensor_id: string;
            /**
             * Format: int64
             * @description How long nothing measured, in seconds. What a volume meter counted meanwhile is in `ml`, but over midnight.
             */
            unknown_sec: number;
        };
        /** @description What a device ran because of somebody, or something. */
        LedgerShare: {
            /** @description The rule's or the person's name. */
            by: string | null;
            /** @description rule, manual, or what else the history of a device says. */
            cause: string;
            /**
             * Format: double
             * @description What flowed, in ml: time x flow; null where the flow is not known for all of it.
             */
            ml: number | null;
            /**
             * Format: int64
             * @description How long, in seconds.
             */
            on_sec: number;
        };
        /** @description What a reservoir's days come to. */
        LedgerSums: {
            devices: components["schemas"]["LedgerDevice"][];
            meters: components["schemas"]["LedgerReading"][];
        };
        /** @description A day of a farm. */
        Letter: components["schemas"]["LetterSpan"] & {
            ahead: components["schemas"]["LetterAhead"] | null;
            alerts: components["schemas"]["LetterAlert"][];
            /** @description Controllers that could not be reached for a while. */
            away: components["schemas"]["LetterAway"][];
            /** @description YYYY-MM-DD, in the farm's time. */
            day: string;
            devices: components["schemas"]["LetterDevice"][];
            /**
             * Format: int64
             * @description How often sensors fell silent.
             */
            fellSilent: number;
            houses: components["schemas"]["LetterHouse"][];
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description Whether the caller is told when one is ready. */
            isTold: boolean;
            /**
             * Format: int64
             * @description Up to when it is told: now, or the end of the day.
             */
            knownUntil: number;
            /** @description Whether so much happened that the log's earlier part is not in it. */
            logCut: boolean;
            people: components["schemas"]["LetterPerson"][];
            /**
             * Format: int64
             * @description When it is told to who wants it: at 19:00.
             */
            readyAt: number;
            rules: components["schemas"]["LetterRule"][];
            /** @description When no sensor of the farm was heard, as while the server was off. */
            unheard: components["schemas"]["LetterSpan"][];
            written: components["schemas"]["LetterWritten"];
        };
        /** @description What to look at tomorrow. */
        LetterAhead: {
            /** @description Alerts that are raised. */
            alerts: components["schemas"]["LetterSince"][];
            /** @description Controllers that cannot be reached. */
            away: components["schemas"]["LetterThing"][];
            /** @description Devices that are locked or in safety mode. */
            locked: components["schemas"]["LetterThing"][];
            /** @description Devices that somebody has in manual mode. */
            manual: components["schemas"]["LetterHeld"][];
            /** @description Sensors whose last reading is too old to count. */
            silent: components["schemas"]["LetterSince"][];
            /** @description What runs low in the store. */
            stock: components["schemas"]["LetterLow"][];
            /** @description Tasks that are due tomorrow at the latest. */
            tasks: components["schemas"]["LetterTask"][];
        };
        /** @description An alert that was raised, or raised still from a day before. */
        LetterAlert: {
            /** Format: int64 */
            firstAt: number;
            id: string;
            name: string;
            polyhouseId: string | null;
            /** @description How often it was raised on the day. */
            raised: number;
            /**
             * Format: int64
             * @description For how many seconds of the day it was raised.
             */
            raisedSec: number;
            /** @description Whether it was raised at the end of what is told. */
            still: boolean;
        };
        /** @description A controller that could not be reached for a while. */
        LetterAway: {
            /**
             * Format: int64
             * @description For how many seconds of the day.
             */
            awaySec: number;
            /** Format: int64 */
            firstAt: number;
            mac: string;
            name: string;
            still: boolean;
            times: number;
        };
        /** @description Whether the caller wants to be told. */
        LetterChoice: {
            isTold: boolean;
        };
        /** @description The vapour pressure deficit, in kPa. */
        LetterDeficit: {
            highest: components["schemas"]["LetterHour"] | null;
            /** Format: int64 */
            knownSec: number;
            lowest: components["schemas"]["LetterHour"] | null;
            /** Format: double */
            mean: number;
        };
        /** @description A device on a day. Times are whole seconds. */
        LetterDevice: {
            /**
             * Format: int64
             * @description How long it was on because of a person.
             */
            byHandSec: number;
            /**
             * Format: int64
             * @description How long it was on because of a rule.
             */
            byRuleSec: number;
            id: string;
            /**
             * Format: double
             * @description What flowed; null where its flow is not known for the whole time that it was on.
             */
            litres: number | null;
            longest: components["schemas"]["LetterSpan"] | null;
            name: string;
            /**
             * Format: int64
             * @description Null where nothing at all is known of it, as the others.
             */
            onSec: number | null;
            /**
             * Format: int64
             * @description How long it was on for other reasons: its default setting, safety, or itself.
             */
            otherwiseSec: number;
            /** @description The polyhouse in which it is; null for the farm's. */
            polyhouseId: string | null;
            scope: components["schemas"]["Scope"];
            /** @description How often it was switched on, as far as that is known. */
            starts: number | null;
            type: components["schemas"]["DeviceType"];
            /**
             * Format: int64
             * @description How long it is not known: its controller could not be reached, or the server was off.
             */
            unknownSec: number;
        };
        /** @description What was picked of a crop on a day. */
        LetterHarvest: {
            crop: string;
            /** @description Kilograms, without what is not for sale. */
            kg: components["schemas"]["Decimal"];
            /** @description Kilograms that are not for sale. */
            wasteKg: components["schemas"]["Decimal"];
        };
        /** @description A device in manual mode. */
        LetterHeld: {
            /** @description Who has it. */
            by: string | null;
            id: string;
            name: string;
            /** Format: int64 */
            until: number;
        };
        /** @description An hour with its mean. */
        LetterHour: {
            /** Format: int64 */
            from: number;
            /**
             * Format: double
             * @description Rounded to two decimals.
             */
            mean: number;
            /** Format: int64 */
            until: number;
        };
        /** @description The air of a house on a day. What is not known is null. */
        LetterHouse: {
            coldest: components["schemas"]["LetterHour"] | null;
            deficit: components["schemas"]["LetterDeficit"] | null;
            highest: components["schemas"]["LetterReading"] | null;
            hottest: components["schemas"]["LetterHour"] | null;
            id: string;
            lowest: components["schemas"]["LetterReading"] | null;
            name: string;
            /**
             * Format: int64
             * @description For how many seconds at least one of them was missed; null where nothing was wanted or nothing of it is known.
             */
            outsideSec: number | null;
            /**
             * Format: int64
             * @description For how many seconds that is not known.
             */
            outsideUnknownSec: number;
            /** @description What its crops wanted. */
            targets: components["schemas"]["LetterTarget"][];
            /**
             * Format: int64
             * @description For how many seconds its temperature is not known; null where nothing measures it.
             */
            unknownSec: number | null;
        };
        /** @description How long the devices of a kind were on, one after another. */
        LetterKindHours: {
            /**
             * Format: int64
             * @description Null where nothing is known of any.
             */
            onSec: number | null;
            /** Format: int64 */
            unknownSec: number;
        };
        /** @description An item that runs low. */
        LetterLow: {
            id: string;
            left: components["schemas"]["Decimal"];
            name: string;
            unit: components["schemas"]["Unit"];
        };
        /** @description How many were written down, and what they come to. */
        LetterMoney: {
            /** Format: int64 */
            count: number;
            paise: components["schemas"]["Paise"];
        };
        /** @description What a person did. */
        LetterPerson: {
            /** @description What was added, changed and deleted. */
            changes: number;
            /** @description Commands to devices, refused ones included. */
            commands: number;
            /** @description Those of them that came to nothing. */
            failed: number;
            /** @description Locks put on and opened. */
            locks: number;
            name: string;
            stops: number;
            /** @description Tasks that were closed. */
            tasks: number;
        };
        /** @description A reading with its minute. */
        LetterReading: {
            /** Format: int64 */
            at: number;
            /** Format: double */
            value: number;
        };
        /** @description A rule that did something. */
        LetterRule: {
            /** @description How often it could not start. */
            blocked: number;
            /** @description How often it fired. */
            fired: number;
            /** Format: int64 */
            firstAt: number;
            id: string;
            longest: components["schemas"]["LetterSpan"] | null;
            /** @description By its name of then. */
            name: string;
            polyhouseId: string | null;
            /** @description Whether it runs still. */
            runs: boolean;
        };
        /** @description Something that has been so for a while. */
        LetterSince: {
            id: string;
            name: string;
            /**
             * Format: int64
             * @description Null where that is not known.
             */
            since: number | null;
        };
        /** @description A time in which something was so, in epoch milliseconds. */
        LetterSpan: {
            /** Format: int64 */
            from: number;
            /** Format: int64 */
            until: number;
        };
        /** @description What came into the store and went of an item. */
        LetterStock: {
            came: components["schemas"]["Decimal"];
            item: string;
            unit: components["schemas"]["Unit"];
            went: components["schemas"]["Decimal"];
        };
        /** @description What a crop wanted, and for how long it had it. */
        LetterTarget: {
            /** Format: int64 */
            aboveSec: number;
            /** Format: int64 */
            belowSec: number;
            crop: string;
            /**
             * Format: int64
             * @description When it was first missed.
             */
            firstAt: number | null;
            max: components["schemas"]["Decimal"];
            min: components["schemas"]["Decimal"];
            sensorType: components["schemas"]["SensorType"];
            unit: string;
            /** Format: int64 */
            unknownSec: number;
            /** Format: int64 */
            withinSec: number;
            zone: string;
        };
        /** @description A task that is due. */
        LetterTask: {
            /** @description YYYY-MM-DD */
            dueDate: string;
            id: string;
            overdue: boolean;
            title: string;
        };
        /** @description Something by its name. */
        LetterThing: {
            id: string;
            name: string;
        };
        /** @description A week of a farm, from Monday on. */
        LetterWeek: {
            /** @description YYYY-MM-DD, a Monday. */
            from: string;
            houses: components["schemas"]["LetterWeekHouse"][];
            incomplete: boolean;
            /**
             * Format: int64
             * @description Up to when it is told.
             */
            knownUntil: number;
            /** @description The Sunday. */
            to: string;
        };
        /** @description A house on a day; null is not known, or nothing of the kind. */
        LetterWeekDay: {
            coldest: components["schemas"]["LetterHour"] | null;
            day: string;
            /** @description In the order of the house's kinds. */
            devices: components["schemas"]["LetterKindHours"][];
            harvestKg: components["schemas"]["Decimal"] | null;
            hottest: components["schemas"]["LetterHour"] | null;
            /** Format: double */
            litres: number | null;
            /**
             * Format: int64
             * @description For how many seconds one of the targets was missed.
             */
            outsideSec: number | null;
            /** Format: int64 */
            outsideUnknownSec: number;
        };
        /** @description A house in a week. What belongs to no house stands in one without id and name, where there is any. */
        LetterWeekHouse: {
            /** @description The days that have begun. */
            days: components["schemas"]["LetterWeekDay"][];
            id: string | null;
            /** @description What kinds of device it has, in the order of their names. */
            kinds: components["schemas"]["DeviceType"][];
            name: string | null;
            /** @description What they come to. */
            total: components["schemas"]["LetterWeekTotal"];
        };
        /** @description What a week comes to. */
        LetterWeekTotal: {
            coldest: components["schemas"]["LetterHour"] | null;
            devices: components["schemas"]["LetterKindHours"][];
            harvestKg: components["schemas"]["Decimal"] | null;
            hottest: components["schemas"]["LetterHour"] | null;
            /** Format: double */
            litres: number | null;
            /** Format: int64 */
            outsideSec: number | null;
            /** Format: int64 */
            outsideUnknownSec: number;
        };
        /** @description What people wrote down of a day. */
        LetterWritten: {
            expenses: components["schemas"]["LetterMoney"] | null;
            harvests: components["schemas"]["LetterHarvest"][];
            sales: components["schemas"]["LetterMoney"] | null;
            stock: components["schemas"]["LetterStock"][];
        };
        /** @description The messages of the live connection by event. */
        LiveEvents: {
            /** @description A command's life went on. */
            command: components["schemas"]["Command"];
            /** @description A controller came or went. */
            controller: components["schemas"]["ControllerMessage"];
            /** @description The engine decided something. */
            event: components["schemas"]["EngineEvent"];
            /** @description The log has new entries, or results; at most twice a second. */
            log: components["schemas"]["LogMessage"];
            /** @description The means of the farm and its houses, as in the latest telemetry, when one changes; at most once a second. */
            means: components["schemas"]["Means"];
            /** @description Records of people changed: load them again. */
            records: components["schemas"]["RecordsMessage"];
            /** @description Places, sensors, devices, rules or alerts changed: load them again. */
            registry: components["schemas"]["RegistryMessage"];
            /** @description Messages were lost: load everything again. */
            reload: components["schemas"]["ReloadMessage"];
            /** @description The farm that was asked for is not told of; the same as the acknowledgement of `subscribe`. */
            subscribe_error: components["schemas"]["Refusal"];
            /** @description Sensors reported. */
            telemetry: components["schemas"]["LiveTelemetry"];
            /** @description How the farm and its houses stand now, when that changes; at most once a second. */
            verdict: components["schemas"]["FarmVerdict"];
        };
        /** @description A sensor's latest reading. */
        LiveReading: {
            /**
             * Format: int64
             * @description When it was taken.
             */
            at: number;
            id: string;
            /**
             * Format: double
             * @description Null after a fault.
             */
            latestValue: number | null;
            type: components["schemas"]["SensorType"];
            /** @description Empty for pH. */
            unit: string;
        };
        /** @description The sensors that reported, each with its latest reading. */
        LiveTelemetry: {
            sensors: components["schemas"]["LiveReading"][];
        };
        /** @description Where the farm is. */
        Location: {
            /** Format: double */
            lat: number;
            /** Format: double */
            lng: number;
            /** @description What a map service calls it; not kept. */
            place_id?: string | null;
        };
        /** @description Why a device is locked. */
        Lock: {
            /** @description In the person's words, up to 500 characters. */
            reason?: string | null;
        };
        /**
         * @description What kind of lock it is; each has its own way to open.
         * @enum {string}
         */
        LockKind: "controller" | "person" | "max_on" | "keeps_stopping" | "keeps_starting" | "stop";
        /** @description Whose a lock is. */
        LockOwner: {
            name: string;
            user_id: string;
        };
        /** @description A command that followed. */
        LogCommand: {
            /** @description on, off, set_speed, set_position, set_flow_rate, pulse or release. */
            action: string;
            commandId: string;
            deviceId: string;
            deviceName: string;
            /** @description What the controller said, or why it was given up. */
            message: string | null;
            state: components["schemas"]["CommandState"];
            /** Format: double */
            value: number | null;
        };
        /** @description What else there is to tell of an entry. Other fields depend on its kind. */
        LogDetails: {
            /** @description The commands that followed in the same instant. */
            commands: components["schemas"]["LogCommand"][];
            /** @description What happened, as a stable word: `rule_fired`, `override`, `locked`, `record`... */
            kind: string;
            /** @description Why, as a word or in a person's words. */
            reason?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Something that happened. */
        LogEntry: {
            /** @description What happened, in the caller's language. */
            action: string;
            /**
             * @description More of it: always `kind`, a stable word for what happened, and `commands`, those that it led to with their states;
             *     besides, by kind, `reason`, `durationSec` and others.
             */
            details: components["schemas"]["LogDetails"];
            /** @description The device, or the controller's MAC. Of a rule with several devices it is the first. */
            deviceId: string | null;
            /** @description The device's name at the time; a controller's of now. */
            deviceName: string | null;
            /** @description Why it failed, in the caller's language. */
            errorMessage: string | null;
            id: string;
            result: components["schemas"]["LogResult"];
            ruleId: string | null;
            /** @description The rule's name at the time. */
            ruleName: string | null;
            scope: components["schemas"]["Scope"] | null;
            /**
             * Format: int64
             * @description Epoch milliseconds.
             */
            timestamp: number;
            type: components["schemas"]["LogType"];
            /** @description Who did it, where it was a person. */
            userId: string | null;
            userName: string | null;
        };
        /** @description Nothing more than that it happened. */
        LogMessage: Record<string, never>;
        /** @description A page of the log. */
        LogPage: {
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description Newest first. */
            items: components["schemas"]["LogEntry"][];
            /**
             * Format: int64
             * @description How many of them the filters find.
             */
            matching: number;
            /** Format: int32 */
            page: number;
            /** Format: int32 */
            pageSize: number;
            /**
             * Format: int64
             * @description How many entries there are.
             */
            total: number;
        };
        /**
         * @description How it came out.
         * @enum {string}
         */
        LogResult: "success" | "failure" | "pending";
        /**
         * @description What an entry is about.
         * @enum {string}
         */
        LogType: "manual_command" | "rule_trigger" | "rule_deploy" | "safety_override" | "device_offline" | "other";
        /** @description What is needed to sign in by password. */
        LoginRequest: {
            /**
             * @description E-mail address or mobile number.
             * @example owner@demo.harit
             */
            contact: string;
            password: string;
        };
        /** @description The signed-in user. */
        Me: {
            user: components["schemas"]["User"];
        };
        /** @description The means of what is fresh. */
        Means: {
            /**
             * @description The means over each polyhouse that has fresh values, by its id, then as `latest`; and `vpd`, the vapour pressure
             *     deficit in kPa, where it has a temperature and a humidity.
             */
            houses: components["schemas"]["BTreeMap"];
            /**
             * @description The mean over the farm of each type that has a fresh value, keyed by the sensor type as on the wire: `ph`, `ec`,
             *     `temperature`, ... (what people see as "pH" and "EC" are the keys `ph` and `ec`).
             */
            latest: {
                [key: string]: components["schemas"]["TelemetryMean"];
            };
        };
        /** @description What a page sends. */
        MessageAnswer: {
            /** @description Which device. */
            device?: string;
            /** @description How many answers there were when the page was shown: a page that is older answers nothing. */
            seen: number;
            /** @description on_it, acknowledge, snooze, false_alarm, or off for a device. */
            what: string;
        };
        /** @description A moment of a day: a time of day (`HH:MM`), or so long after the sun rises or sets. */
        Moment: string | components["schemas"]["SunMoment"];
        /** @description A month. */
        MonthReport: {
            /** @description What was bought for the store. */
            boughtPaise: components["schemas"]["Paise"];
            /** @description Kilograms by grade. */
            harvestedKg: components["schemas"]["GradesKg"];
            /** @description YYYY-MM */
            month: string;
            /** @description Of what was sold in the month, whenever it was paid. */
            paidPaise: components["schemas"]["Paise"];
            /** @description What was sold less what was spent and bought. */
            profitPaise: components["schemas"]["Paise"];
            soldPaise: components["schemas"]["Paise"];
            /** @description Expenses, without what was bought for the store. */
            spentPaise: components["schemas"]["Paise"];
        };
        /** @description What the controller connects with. The password is shown here and never again. */
        MqttAccount: {
            /** @description host:port */
            address: string;
            password: string;
            /**
             * @description The controller publishes and subscribes under this.
             * @example harit/1/demo-farm-1/AABBCCDDEEFF/
             */
            topic: string;
            username: string;
        };
        /** @description A thing with its name; the name is empty where nobody gave it one. */
        NamedThing: {
            id: string;
            name: string;
        };
        /** @description An alert rule. */
        NewAlert: {
            /** @description By which ways subscribers are told. */
            channels?: components["schemas"]["AlertChannel"][];
            /**
             * Format: int64
             * @description How long its opposite must hold before the alert is resolved, in seconds; 0 by default.
             */
            clear_sec?: number;
            /** @description What is watched. */
            conditions: components["schemas"]["AlertCondition"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            createdAt?: number | null;
            evidence?: components["schemas"]["AlertEvidence"] | null;
            /**
             * Format: int64
             * @description How long the joined condition must hold before the alert is raised, in seconds; 0 by default.
             */
            hold_sec?: number;
            /** @description Its id, unique in the farm; a new alert without one gets `alert-{timestamp}`. */
            id?: string;
            /** @description Whether it is watched; true by default. */
            isActive?: boolean;
            /**
             * Format: int64
             * @description When subscribers were last told, in epoch milliseconds; the server keeps it.
             */
            lastTriggered?: number | null;
            /** @description How conditions are joined; all by default. */
            match?: components["schemas"]["AlertMatch"];
            /** @description Its name. */
            name: string;
            only_if?: components["schemas"]["ConditionNode"] | null;
            /** @description Of which unit. */
            repeatUnit: components["schemas"]["RepeatUnit"];
            /**
             * Format: int64
             * @description How many units lie between two notifications.
             */
            repeatsIn: number;
            scope?: components["schemas"]["Scope"] | null;
            /** @description How much it matters; `warning` by default. */
            severity?: components["schemas"]["AlertSeverity"];
            /** @description Who is told. */
            subscribers?: components["schemas"]["Subscriber"][];
        };
        /** @description An asset to be registered. */
        NewAsset: {
            /**
             * @description The controller's MAC: six hex pairs separated by colon or hyphen, or 12 hex digits.
             * @example AA:BB:CC:DD:EE:FF
             */
            macid: string;
            /** @description Given by the server where it is blank: "Polyhouse 3". */
            name?: string | null;
            /** @description Of a POLYHOUSE that is there already; a new one otherwise. */
            polyhouseId?: string | null;
            /** @description Of a FERTIGATION's reservoir that is there already; a new one otherwise. */
            reservoirId?: string | null;
            /** @description POLYHOUSE, FERTIGATION or GATEWAY. */
            type: components["schemas"]["AssetKind"];
        };
        /** @description Somebody to be added. */
        NewFarmUser: {
            /** @description The devices that a WORKER may switch: at most 200. */
            devices?: string[] | null;
            /** @description This or `phone`. */
            email?: string | null;
            /** @description en, hi or mr */
            languagePref: string;
            name: string;
            phone?: string | null;
            /** @description The houses that a WORKER sees: at most 200. */
            polyhouses?: string[] | null;
            role: components["schemas"]["Role"];
        };
        /** @description An answer to an incident. */
        NewIncidentAnswer: {
            kind: components["schemas"]["AnswerKind"];
            /**
             * Format: int64
             * @description For how long, of a snooze, which needs it: 5 to 1440.
             */
            minutes?: number | null;
            /** @description In the person's words, up to 500 characters. */
            note?: string | null;
        };
        /** @description An integration with its new password. */
        NewIntegration: {
            integration: components["schemas"]["Integration"];
            mqtt: components["schemas"]["IntegrationAccount"];
        };
        /** @description Whom to invite as what. */
        NewInvite: {
            /** @description This or `mobile`. */
            email?: string | null;
            /** @description To which farm; the caller's first one by default. */
            farmId?: string | null;
            /** @description en, hi or mr */
            languagePref: string;
            mobile?: string | null;
            role: components["schemas"]["Role"];
        };
        /** @description A polyhouse to be made. */
        NewPolyhouse: {
            /** @description In the farm's own words, up to 60 characters. */
            capacity?: string | null;
            /** @description 1 to 120 characters, and no other polyhouse's. */
            name: string;
        };
        /** @description An automation rule. */
        NewRule: {
            /** @description What it does. */
            actions?: components["schemas"]["RuleAction"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            created_at?: number | null;
            /** @description Who wrote it; the server fills it in. */
            created_by?: string | null;
            /** @description Whether it is more than a draft. */
            deployed?: boolean;
            /** @description What it is for. */
            description?: string;
            /** @description Its id, unique in the farm; a new rule without one gets `rule-{timestamp}`. */
            id?: string;
            /** @description Whether it may run; auto by default. */
            mode?: components["schemas"]["RuleMode"];
            /** @description Its name. */
            name: string;
            /** @description What it does when its end condition becomes unknown; stop by default. */
            on_signal_lost?: components["schemas"]["OnSignalLost"];
            /**
             * Format: int32
             * @description 1 to 10, 5 by default; 10 is the strongest.
             * @default 5
             */
            priority: number;
            /**
             * Format: int64
             * @description How long it runs at most, in seconds; a schedule needs it.
             */
            run_sec?: number | null;
            /** @description Where it belongs. */
            scope: components["schemas"]["Scope"];
            stop_condition?: components["schemas"]["StopCondition"] | null;
            /** @description When it fires. */
            trigger: components["schemas"]["Trigger"];
        };
        /** @description A token that was just made. */
        NewToken: {
            /** @description To be sent as `Authorization: Bearer <token>`. It is shown here and never again. */
            secret: string;
            token: components["schemas"]["Token"];
        };
        /** @description A note. */
        Note: {
            /**
             * Format: int64
             * @description The moment that it is about, epoch milliseconds. Lists are asked for by its day in UTC.
             */
            at: number;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            text: string;
            /** @description The zone that it is about; null is the whole farm. */
            zoneId: string | null;
        };
        /** @description A note as people write it. */
        NoteInput: {
            /**
             * Format: int64
             * @description Epoch milliseconds.
             */
            at: number;
            /** @description 1 to 2000 characters. */
            text: string;
            zoneId?: string | null;
        };
        /** @description A notification, in the caller's language. */
        Notification: {
            id: string;
            incident: components["schemas"]["IncidentBrief"] | null;
            /** @description Where in the console there is more. */
            link: string | null;
            message: string;
            read: boolean;
            /**
             * @description When it happened, or last happened: ISO 8601, UTC.
             * @example 2026-01-31T08:15:00Z
             */
            timestamp: string;
            title: string;
            type: components["schemas"]["NotificationType"];
        };
        /**
         * @description How a notification is shown.
         * @enum {string}
         */
        NotificationType: "alert" | "warning" | "success" | "info";
        /** @description The caller's notifications. */
        Notifications: {
            /** @description Critical alerts that are unread first, then the latest first. */
            items: components["schemas"]["Notification"][];
            /**
             * Format: int64
             * @description How many are unread, listed or not.
             */
            unread: number;
        };
        /** @description Seedlings that were sown together. */
        Nursery: {
            /** Format: int64 */
            cellsPerTray: number;
            crop: string;
            cycle: string | null;
            /** @description The crop cycle into which they went. */
            cycleId: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            /**
             * Format: int64
             * @description Seeds that came up; null as long as nobody counted.
             */
            germinated: number | null;
            /**
             * Format: int64
             * @description Of the seeds, in whole percent.
             */
            germinatedPercent: number | null;
            id: string;
            note: string | null;
            /** @description Where the trays stand, in the farm's own words. */
            place: string | null;
            /** @description When they should be ready to be transplanted. */
            readyOn: string | null;
            /**
             * Format: int64
             * @description Trays times cells.
             */
            seeds: number;
            /** @description YYYY-MM-DD, as all days. */
            sownOn: string;
            state: components["schemas"]["NurseryState"];
            /** Format: int64 */
            transplanted: number | null;
            /** @description From this day on nothing of it is in the nursery. */
            transplantedOn: string | null;
            /** Format: int64 */
            trays: number;
            variety: string | null;
        };
        /** @description Seedlings as people write them. */
        NurseryInput: {
            /**
             * Format: int64
             * @description 1 to 1000.
             */
            cellsPerTray: number;
            /** @description 1 to 120 characters. */
            crop: string;
            cycleId?: string | null;
            /**
             * Format: int64
             * @description At most the seeds.
             */
            germinated?: number | null;
            note?: string | null;
            place?: string | null;
            readyOn?: string | null;
            sownOn: string;
            /**
             * Format: int64
             * @description At most those that came up.
             */
            transplanted?: number | null;
            transplantedOn?: string | null;
            /**
             * Format: int64
             * @description 1 to 100000.
             */
            trays: number;
            variety?: string | null;
        };
        /**
         * @description How far seedlings are.
         * @enum {string}
         */
        NurseryState: "SOWN" | "GERMINATED" | "READY" | "TRANSPLANTED";
        /**
         * @description What a device is reported to be.
         * @enum {string}
         */
        OnOff: "on" | "off";
        /**
         * @description What a running rule does when its end condition becomes unknown.
         * @enum {string}
         */
        OnSignalLost: "stop" | "hold";
        /** @description Whose stops are opened where. */
        OpenStops: {
            /** @description That somebody made sure of it. Nothing is opened without. */
            nobodyAtTheMachine?: boolean;
            scope: components["schemas"]["StopScope"];
            /** @description Whose; the caller's own without. */
            userId?: string | null;
        };
        /**
         * @description How a mean is compared.
         * @enum {string}
         */
        Operator: "gt" | "gte" | "lt" | "lte" | "eq" | "between";
        /** @description An action and its value. */
        Order: {
            /** @description on, off, set_speed and set_position (%), set_flow_rate (ml/s), pulse (s). */
            action: components["schemas"]["ActionName"];
            /**
             * Format: double
             * @description The value, where the action has one.
             */
            value?: number | null;
        };
        /** @description Where the code went, if there is an account. */
        OtpSent: {
            /**
             * @description What was typed, with most of it hidden.
             * @example o***@demo.harit
             */
            maskedContact: string;
        };
        /** @description A time in which something did not work. */
        Outage: {
            /** @description What came of it, oldest first. */
            consequences: components["schemas"]["OutageConsequence"][];
            /** @description The controller's devices, by their names of then. */
            devices: string[];
            /**
             * Format: int64
             * @description Of the server: the farm's last record before.
             */
            from: number;
            /** @description Rules whose holds went on over an outage of the server. */
            heldOn: string[];
            /** @description Rules whose holds began anew after it. */
            holdsLost: string[];
            /** @description The controller's MAC, or the sensor's id; null of the server. */
            id: string | null;
            kind: components["schemas"]["OutageKind"];
            /** @description How much more came of it. */
            more: number;
            name: string | null;
            /**
             * Format: int64
             * @description Null while it goes on.
             */
            until: number | null;
            /** @description How many other controllers were lost within two minutes: with some it was probably the power. */
            with: number;
        };
        /** @description What came of an outage. */
        OutageConsequence: {
            entry: components["schemas"]["LogEntry"];
            kind: components["schemas"]["OutageConsequenceKind"];
        };
        /**
         * @description What became of something.
         * @enum {string}
         */
        OutageConsequenceKind: "missed" | "ended" | "resumed";
        /**
         * @description What could not be reached or did not work.
         * @enum {string}
         */
        OutageKind: "server" | "controller" | "power";
        /** @description A page of outages. */
        OutagePage: {
            /** @description Whether so much came and went that the span's earlier part is not told. */
            cut: boolean;
            /** Format: int64 */
            from: number;
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description The latest first. */
            items: components["schemas"]["Outage"][];
            /** Format: int32 */
            page: number;
            /** Format: int32 */
            pageSize: number;
            /** @description How often and how long each kind was in the span; none of a kind that was not. */
            sums: components["schemas"]["OutageSum"][];
            /** Format: int64 */
            to: number;
            /** @description How many outages reach into the span. */
            total: number;
        };
        /** @description How often and how long one kind of outage was. */
        OutageSum: {
            count: number;
            kind: components["schemas"]["OutageKind"];
            /**
             * Format: int64
             * @description Seconds within the span; those of several things at once are added.
             */
            seconds: number;
        };
        /** @description What waits to be sent. */
        Outbox: {
            /** @description The latest first. */
            messages: components["schemas"]["OutboxMessage"][];
        };
        /** @description A message that waits to be sent. */
        OutboxMessage: {
            body: string;
            /** @description EMAIL or SMS */
            channel: string;
            /** @description The code alone, of a CODE. */
            code: string | null;
            /** Format: int64 */
            createdAt: number;
            id: string;
            /** @description CODE, INVITE or NOTICE */
            kind: string;
            language: string;
            /** @description The link alone, of an INVITE. */
            link: string | null;
            to: string;
        };
        /**
         * Format: int64
         * @description Paise; an integer in JSON too.
         */
        Paise: number;
        /**
         * @description What somebody may do in a farm.
         * @enum {string}
         */
        Permission: "farm:read" | "rules:write" | "rules:over_hazards" | "alerts:write" | "alerts:answer" | "alerts:answer_message" | "alerts:quiet" | "tasks:write" | "crops:write" | "money:read" | "money:write" | "devices:command" | "devices:command_freely" | "devices:stop" | "devices:lock" | "locks:open" | "locks:open_engine" | "places:write" | "assets:write" | "controllers:read" | "controllers:write" | "integrations:write" | "tokens:end" | "users:read" | "users:write" | "invites:write" | "work:own" | "devices:command_given" | "deliveries:test" | "farm:operate";
        /**
         * Format: binary
         * @description A photo: JPEG or WebP.
         */
        Photo: string;
        /** @description The past of a place. Steps without a good reading are absent: a gap stays a gap. */
        PlaceHistory: {
            /** Format: int64 */
            from: number;
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description The quantities that are measured for the place. */
            quantities: components["schemas"]["PlaceQuantity"][];
            /**
             * Format: int32
             * @description The length of a step, chosen by the server: at most 400 of them, and at most 20,000 of all sensors together.
             */
            stepSec: number;
            /** Format: int64 */
            to: number;
        };
        /** @description The good readings of all sensors in one step. */
        PlaceHistoryPoint: {
            /**
             * Format: int64
             * @description The step's beginning.
             */
            at: number;
            /**
             * Format: double
             * @description The largest reading.
             */
            max: number;
            /**
             * Format: double
             * @description The mean of the sensors' means.
             */
            mean: number;
            /**
             * Format: double
             * @description The smallest reading.
             */
            min: number;
            /**
             * Format: int64
             * @description How many sensors had a good reading.
             */
            sensors: number;
        };
        /** @description A quantity of a place. */
        PlaceQuantity: {
            /**
             * Format: double
             * @description The mean of the steps that have one; null where none has.
             */
            mean: number | null;
            points: components["schemas"]["PlaceHistoryPoint"][];
            /** @description Where it is measured: the place, or the nearest enclosing one that has a sensor of it. */
            scope: components["schemas"]["Scope"];
            sensors: components["schemas"]["SensorPast"][];
            type: components["schemas"]["SensorType"];
            /** @description Empty for pH. */
            unit: string;
        };
        /** @description The verdict of a place. */
        PlaceVerdict: {
            /** @description How many more reasons there are. */
            more: number;
            /** @description Why, the worst first. */
            reasons: components["schemas"]["VerdictReason"][];
            verdict: components["schemas"]["Verdict"];
        };
        /** @description A polyhouse. */
        Polyhouse: {
            /** @description In the farm's own words; null where it is not known. */
            capacity: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            isActive: boolean;
            name: string;
            zones: components["schemas"]["Zone"][];
            zonesCount: number;
        };
        /** @description A polyhouse as it is to be. */
        PolyhouseInput: {
            /** @description In the farm's own words, up to 60 characters. */
            capacity?: string | null;
            /** @description As it is, where that is not said. */
            isActive?: boolean | null;
            /** @description 1 to 120 characters, and no other polyhouse's. */
            name: string;
        };
        /** @description A place on earth, in degrees. */
        Position: {
            /** Format: double */
            lat: number;
            /** Format: double */
            lng: number;
        };
        /** @description One field that is wrong. */
        Problem: {
            above?: components["schemas"]["Decimal"] | null;
            /** @description What kind of problem, as a stable word. */
            code: string;
            max?: components["schemas"]["Decimal"] | null;
            /** @description What is wrong. */
            message: string;
            min?: components["schemas"]["Decimal"] | null;
            /** @description Where: `trigger.value`, `actions[1].command.action`. */
            path: string;
        };
        /** @description What is to be changed; what is left out stays. */
        ProfileChange: {
            languagePref?: components["schemas"]["Language"] | null;
            name?: string | null;
            /** @description Blank takes it away, where there is an e-mail address. */
            phone?: string | null;
        };
        /** @description The browsers in which the caller is told. */
        Push: {
            /** @description The first first. */
            browsers: components["schemas"]["PushBrowser"][];
            /** @description The key for which a browser subscribes (`applicationServerKey`); none where Web Push is not set. */
            publicKey: string | null;
        };
        /** @description A browser in which the caller is told. */
        PushBrowser: {
            /** Format: int64 */
            createdAt: number;
            /** @description Whether it is the one of this sign-in. */
            current: boolean;
            id: string;
            /**
             * Format: int64
             * @description When its push service last took a message, of the last 30 days.
             */
            sentAt: number | null;
            /** @description As it names itself. */
            userAgent: string | null;
        };
        /** @description The keys of a browser, in base64url. */
        PushKeys: {
            /** @description 16 bytes. */
            auth: string;
            /** @description A point on P-256, 65 bytes. */
            p256dh: string;
        };
        /** @description What a browser says of its subscription: `PushSubscription.toJSON()`. */
        PushSubscription: {
            /**
             * @description Of a push service that the server sends to; at most 1,024 bytes.
             * @example https://fcm.googleapis.com/fcm/send/abc
             */
            endpoint: string;
            keys: components["schemas"]["PushKeys"];
        };
        /** @description From one time of every day to another, by the clock of the farm that tells. */
        QuietHours: {
            /**
             * @description HH:MM
             * @example 22:00
             */
            from: string;
            /**
             * @description HH:MM
             * @example 06:00
             */
            to: string;
        };
        /** @description A range, both ends included. */
        Range: {
            /** Format: double */
            high: number;
            /** Format: double */
            low: number;
        };
        /** @description Whether the server can do its work. */
        Readiness: {
            /** @description What does not work: `journal`, `history`, `shard`, `farm`, `mqtt`, `broker`, `store`. */
            problems: string[];
            ready: boolean;
            /** @description The same in words, for operators. */
            reasons: string[];
        };
        /**
         * @description What the live connection calls what changed.
         * @enum {string}
         */
        RecordKind: "tasks" | "notifications" | "incidents" | "log" | "reservoirs" | "derived-sensors" | "templates" | "crop-cycles" | "nurseries" | "inventory" | "harvests" | "sales" | "expenses" | "notes" | "controllers" | "users" | "work";
        /** @description The kinds of record that changed. */
        RecordsMessage: {
            kinds: components["schemas"]["RecordKind"][];
        };
        /** @description Why the client is told of no farm. */
        Refusal: {
            code: string;
            /** @description In the client's language. */
            error: string;
            /** @description False. */
            ok: boolean;
        };
        /** @description Assets to be registered. */
        RegisterAssets: {
            assets: components["schemas"]["NewAsset"][];
            /** @description In which farm; the caller's first one by default. */
            farmId?: string | null;
        };
        /** @description Who registers. */
        RegisterRequest: {
            /** @description Where the farm is, in words. */
            address?: string | null;
            /** @description This or `mobile`. */
            email?: string | null;
            location?: components["schemas"]["Location"] | null;
            mobile?: string | null;
            name: string;
            /** @description At least 8 characters; without one the account signs in by code only. */
            password?: string | null;
        };
        /** @description A registered asset, with its controller's secret. */
        RegisteredAsset: components["schemas"]["Asset"] & {
            mqtt: components["schemas"]["MqttAccount"];
        };
        /** @description Registered assets, with their controllers' secrets. */
        RegisteredAssets: {
            assets: components["schemas"]["RegisteredAsset"][];
        };
        /** @description A sensor that the farm knows. */
        RegisteredSensor: components["schemas"]["Sensor"] & {
            /** @description The version of its name and place, for `If-Match`. */
            etag: string;
            /** @description Its controller no longer announces it. */
            gone: boolean;
            state: components["schemas"]["SensorState"];
        };
        /** @description Nothing more than that it happened. */
        RegistryMessage: Record<string, never>;
        /** @description Nothing more than that it happened. */
        ReloadMessage: Record<string, never>;
        /** @description A controller with its new secret. */
        RenewedSecret: {
            mqtt: components["schemas"]["MqttAccount"];
        };
        /**
         * @description The unit of an alert's repeat interval.
         * @enum {string}
         */
        RepeatUnit: "minutes" | "hours" | "days";
        /** @description What a period came to. */
        Report: {
            /** @description In the order in which the cycles were made; those of which nothing is in the period are left out. */
            cycles: components["schemas"]["CycleReport"][];
            /** @description In the order of time; months in which nothing was written down are left out. */
            months: components["schemas"]["MonthReport"][];
        };
        /** @description Who wants a code by e-mail. */
        RequestEmailOtp: {
            email: string;
        };
        /** @description A reservoir. */
        Reservoir: {
            /**
             * Format: double
             * @description Litres.
             */
            capacity: number | null;
            /**
             * Format: double
             * @description Litres; null where level or capacity is not known.
             */
            currentLevel: number | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            /** Format: int64 */
            lastRefill: number | null;
            /**
             * Format: double
             * @description The mean of its fresh level sensors, rounded to two decimals; null where none is fresh.
             */
            levelPercent: number | null;
            name: string;
        };
        /** @description A reservoir as people write it. */
        ReservoirInput: {
            /**
             * Format: double
             * @description Litres, more than 0; null where it is not known.
             */
            capacity?: number | null;
            /**
             * Format: int64
             * @description Null where it is not known.
             */
            lastRefill?: number | null;
            /** @description 1 to 120 characters, and no other reservoir's. */
            name: string;
        };
        /** @description The days of a reservoir. */
        ReservoirLedger: {
            /** @description Of the devices that have a budget. */
            budgets: components["schemas"]["LedgerBudget"][];
            /** @description Oldest first, up to now. */
            days: components["schemas"]["LedgerDay"][];
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            /** @description The sensors of type flow and volume by its devices. */
            meters: components["schemas"]["LedgerMeter"][];
            /** @description Of all days. */
            sums: components["schemas"]["LedgerSums"];
        };
        /**
         * @description A role in a farm.
         * @enum {string}
         */
        Role: "OWNER" | "ADMIN" | "FARM_MANAGER" | "VIEWER" | "WORKER";
        /** @description A rule and where it stands. */
        Rule: {
            /** @description What it does. */
            actions: components["schemas"]["RuleAction"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            created_at?: number | null;
            /** @description Who wrote it; the server fills it in. */
            created_by?: string | null;
            /** @description Whether it is more than a draft. */
            deployed: boolean;
            /** @description What it is for. */
            description: string;
            /** @description Its id, unique in the farm; a new rule without one gets `rule-{timestamp}`. */
            id: string;
            /** @description Whether it may run; auto by default. */
            mode: components["schemas"]["RuleMode"];
            /** @description Its name. */
            name: string;
            /** @description What it does when its end condition becomes unknown; stop by default. */
            on_signal_lost: components["schemas"]["OnSignalLost"];
            /**
             * Format: int32
             * @description 1 to 10, 5 by default; 10 is the strongest.
             * @default 5
             */
            priority: number;
            /**
             * Format: int64
             * @description How long it runs at most, in seconds; a schedule needs it.
             */
            run_sec?: number | null;
            /** @description Where it belongs. */
            scope: components["schemas"]["Scope"];
            stop_condition?: components["schemas"]["StopCondition"] | null;
            /** @description When it fires. */
            trigger: components["schemas"]["Trigger"];
        } & {
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            /**
             * Format: int64
             * @description When it starts next by its schedule, as far as that is known.
             */
            next_start?: number | null;
            /**
             * Format: int64
             * @description When its run is over, in epoch milliseconds, while it runs and has `run_sec`.
             */
            run_until?: number | null;
            status: components["schemas"]["RulePhase"];
        };
        /** @description One thing that a rule does when it fires. */
        RuleAction: {
            /** @description What to send; with a curve, while its signal is not known. */
            command: components["schemas"]["Order"];
            curve?: components["schemas"]["Curve"] | null;
            /**
             * Format: int64
             * @description How long after firing, in seconds; 0 by default.
             * @default 0
             */
            delay_sec: number;
            /** @description On which device. */
            device_id: string;
            /** @description The device's name; a label. */
            device_name?: string | null;
            /**
             * Format: int64
             * @description For how long, in seconds; without it until the rule stops.
             */
            for_sec?: number | null;
            /**
             * Format: int64
             * @description How much longer than the rule it goes on, in seconds.
             */
            linger_sec?: number | null;
        };
        /** @description What is to be changed of a rule; what is absent stays. */
        RuleChange: {
            /** @description Whether it is more than a draft. */
            deployed?: boolean | null;
            mode?: components["schemas"]["RuleMode"] | null;
        };
        /** @description What there is to know of a rule. */
        RuleCheck: {
            /** @description What the engine found by trying the rule, each with a situation in which it is so; once the rule could be saved. */
            found: components["schemas"]["FoundHazard"][];
            hazards: components["schemas"]["Hazard"][];
            stop: components["schemas"]["Sight"] | null;
            trigger: components["schemas"]["Sight"] | null;
        };
        /** @description What the conditions of a rule see. */
        RuleConditions: {
            /**
             * @description What each comparison of a tree sees, the trigger's or guard's first, in the order in which they are written; empty of a rule
             *     without trees.
             */
            parts: components["schemas"]["ConditionPart"][];
            /** @description The rule's id. */
            rule: string;
            stop: components["schemas"]["Sight"] | null;
            trigger: components["schemas"]["Sight"] | null;
        };
        /** @description An automation rule. */
        RuleDocument: {
            /** @description What it does. */
            actions: components["schemas"]["RuleAction"][];
            /**
             * Format: int64
             * @description When it was written, in epoch milliseconds; the server fills it in.
             */
            created_at?: number | null;
            /** @description Who wrote it; the server fills it in. */
            created_by?: string | null;
            /** @description Whether it is more than a draft. */
            deployed: boolean;
            /** @description What it is for. */
            description: string;
            /** @description Its id, unique in the farm; a new rule without one gets `rule-{timestamp}`. */
            id: string;
            /** @description Whether it may run; auto by default. */
            mode: components["schemas"]["RuleMode"];
            /** @description Its name. */
            name: string;
            /** @description What it does when its end condition becomes unknown; stop by default. */
            on_signal_lost: components["schemas"]["OnSignalLost"];
            /**
             * Format: int32
             * @description 1 to 10, 5 by default; 10 is the strongest.
             * @default 5
             */
            priority: number;
            /**
             * Format: int64
             * @description How long it runs at most, in seconds; a schedule needs it.
             */
            run_sec?: number | null;
            /** @description Where it belongs. */
            scope: components["schemas"]["Scope"];
            stop_condition?: components["schemas"]["StopCondition"] | null;
            /** @description When it fires. */
            trigger: components["schemas"]["Trigger"];
        };
        /** @description A rule as far as it is written: a rule's document can be sent, and what is missing in it is not looked at. */
        RuleDraft: {
            actions?: components["schemas"]["ActionDraft"][];
            /** @description Its id, once it has one. */
            id?: string | null;
            /**
             * Format: int32
             * @description 1 to 10, 10 the strongest; 5 by default.
             */
            priority?: number | null;
            /**
             * Format: int64
             * @description How long it runs at most, in seconds.
             */
            run_sec?: number | null;
            scope: components["schemas"]["Scope"];
            stop_condition?: components["schemas"]["TriggerDraft"] | null;
            trigger: components["schemas"]["TriggerDraft"];
        };
        /** @description Where a rule stands, and why. */
        RuleExplanation: {
            /** @description Whether it is deployed and automatic. */
            active: boolean;
            /**
             * Format: int64
             * @description The instant that is explained.
             */
            at: number;
            change: components["schemas"]["ExplanationChange"];
            devices: components["schemas"]["ExplanationOutcome"][];
            id: string;
            name: string;
            /**
             * Format: int64
             * @description When it starts next by the clock, as far as that is known.
             */
            next_start: number | null;
            parts: components["schemas"]["ExplanationPart"][];
            phase: components["schemas"]["ExplanationPhase"];
            /**
             * Format: int64
             * @description When its run is over at the latest.
             */
            run_until: number | null;
            /**
             * Format: int64
             * @description Since when it runs, while it does.
             */
            since: number | null;
            /** @description Where it stands, in a sentence. */
            text: string;
        };
        /**
         * @description Whether a rule may run.
         * @enum {string}
         */
        RuleMode: "auto" | "disabled";
        /** @description Where a rule stands. */
        RulePhase: {
            /** @enum {string} */
            phase: "idle";
        } | {
            /**
             * Format: int64
             * @description Since when the condition is true.
             */
            hold_since: number;
            /**
             * Format: int64
             * @description How long it must be, in milliseconds.
             */
            length: number;
            /** @enum {string} */
            phase: "pending";
            /**
             * Format: int32
             * @description Samples so far.
             */
            samples: number;
            /**
             * Format: int32
             * @description Samples needed.
             */
            samples_needed: number;
        } | {
            ending?: components["schemas"]["Hold"] | null;
            /**
             * Format: int64
             * @description When its patience with an unknown end condition ends.
             */
            patience_ends_at?: number | null;
            /** @enum {string} */
            phase: "running";
            /**
             * Format: int64
             * @description When.
             */
            since: number;
        };
        /** @description A rule's pulse. It claims nothing: the device goes back to what it is to do by itself. */
        RulePulse: {
            /** @description Whose it is; `rules` for who is not told which. */
            rule: string;
            /**
             * Format: int64
             * @description When it ends.
             */
            until: number;
        };
        /** @description What a run came to. */
        RunEffect: {
            /** @description worked, `no_effect` or `cannot_tell` */
            mark: string;
            /**
             * Format: int64
             * @description How many minutes after its start it was looked at.
             */
            minutes: number;
            numbers: components["schemas"]["EffectNumbers"] | null;
            /** @description Of what cannot be told: `no_sensor`, `not_fresh`, `too_short`, together, `too_few`, unlike or unseen. */
            reason: string | null;
            /**
             * Format: int64
             * @description When it began.
             */
            started_at: number;
            /** @description The devices that were switched at the same time. */
            together_with: string[];
        };
        /** @description A device's marks. */
        RunEffects: {
            /** Format: int64 */
            from: number;
            /** @description Oldest first. A run without a mark was not looked at yet. */
            marks: components["schemas"]["RunEffect"][];
            /** Format: int64 */
            to: number;
        };
        /** @description What somebody bought. */
        Sale: {
            buyer: string;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            lines: components["schemas"]["SaleLine"][];
            note: string | null;
            paidPaise: components["schemas"]["Paise"];
            /** @description YYYY-MM-DD */
            soldOn: string;
            state: components["schemas"]["SaleState"];
            /** @description What the lines come to. */
            totalPaise: components["schemas"]["Paise"];
        };
        /** @description A sale as people write it. */
        SaleInput: {
            /** @description 1 to 120 characters. */
            buyer: string;
            /** @description 1 to 50. */
            lines: components["schemas"]["SaleLine"][];
            note?: string | null;
            paidPaise?: components["schemas"]["Paise"] | null;
            soldOn: string;
        };
        /** @description A line of a sale. What it comes to is the quantity times the price, rounded to the paisa. */
        SaleLine: {
            /** @description The crop cycle from which it is. */
            cycleId: string | null;
            grade: components["schemas"]["Grade"] | null;
            /** @description For one unit. */
            pricePaise: components["schemas"]["Paise"];
            /** @description More than 0, with up to three decimals. */
            quantity: components["schemas"]["Decimal"];
            unit: components["schemas"]["Unit"];
            /** @description Such as "Capsicum red"; 1 to 120 characters. */
            what: string;
        };
        /**
         * @description How much of a sale is paid.
         * @enum {string}
         */
        SaleState: "UNPAID" | "PARTLY_PAID" | "PAID";
        /** @description When a rule starts: `at`, `every`, or both. */
        Schedule: {
            /** @description At these moments. */
            at?: components["schemas"]["Moment"][] | null;
            /**
             * Format: int64
             * @description How late, in seconds, a start that was missed is still made up for; 0 by default: not at all.
             * @default 0
             */
            catch_up_sec: number;
            dates?: components["schemas"]["DateRange"] | null;
            /** @description On these weekdays; on all by default. */
            days?: components["schemas"]["Weekday"][] | null;
            every?: components["schemas"]["Every"] | null;
            guard?: components["schemas"]["ConditionNode"] | null;
            if_unknown?: components["schemas"]["IfUnknown"] | null;
        };
        /** @description A trigger by the clock. */
        Scheduled: {
            /** @description When it starts. */
            schedule: components["schemas"]["Schedule"];
        };
        /** @description A farm, a polyhouse or a zone. */
        Scope: {
            /** @description The farm; a label. */
            farmId?: string | null;
            /** @description The place's name; a label. */
            name?: string | null;
            /** @description The place's path for people; a label. */
            path?: string | null;
            /** @description The polyhouse; required for a polyhouse. */
            polyhouseId?: string | null;
            /** @description What kind of place it is. */
            type: components["schemas"]["ScopeType"];
            /** @description The zone; required for a zone. */
            zoneId?: string | null;
        };
        /**
         * @description What kind of place it is.
         * @enum {string}
         */
        ScopeType: "farm" | "polyhouse" | "zone";
        /** @description Who wants a code. */
        SendOtp: {
            /**
             * @description E-mail address or mobile number.
             * @example owner@demo.harit
             */
            contact: string;
        };
        /** @description A sensor and what it said last. */
        Sensor: {
            /**
             * Format: int64
             * @description When the latest good reading was taken.
             */
            at: number | null;
            /** @description The MAC of its controller. */
            controller: string | null;
            id: string;
            /**
             * Format: double
             * @description Null when no reading is fresh.
             */
            latestValue: number | null;
            name: string | null;
            scope: components["schemas"]["Scope"];
            /**
             * Format: int64
             * @description How long a reading counts, in seconds.
             */
            staleAfterSec: number;
            type: components["schemas"]["SensorType"];
            /** @description Empty for pH. */
            unit: string;
        };
        /**
         * @description Whether a sensor counts.
         * @enum {string}
         */
        SensorCounts: "fresh" | "stale" | "unknown";
        /** @description A sensor that left those of the same quantity in the same place. */
        SensorDrift: {
            /**
             * Format: double
             * @description How far it may lie from that.
             */
            at_most: number;
            /**
             * Format: double
             * @description How far it lies from the middle of the others.
             */
            now: number;
            /** @description The other one, where nobody can say which of two it is. */
            or_other: string | null;
            sensor_id: string;
            /**
             * Format: int64
             * @description When it was first seen.
             */
            since: number;
            /**
             * Format: double
             * @description How far it did before.
             */
            usual: number;
        };
        /** @description A sensor's past. Steps without a good reading are absent: a gap stays a gap. */
        SensorHistory: {
            /** Format: int64 */
            from: number;
            /** @description Whether the latest may be missing, because the history cannot be written at present. */
            incomplete: boolean;
            points: components["schemas"]["HistoryPoint"][];
            sensor: string;
            /** Format: int32 */
            stepSec: number;
            /** Format: int64 */
            to: number;
            type: components["schemas"]["SensorType"];
            unit: string;
        };
        /** @description What a sensor's good readings come to. */
        SensorPast: {
            /**
             * Format: int64
             * @description How many good readings.
             */
            count: number;
            id: string;
            /** Format: double */
            max: number | null;
            /**
             * Format: double
             * @description Null where there is no good reading, like the others.
             */
            mean: number | null;
            /** Format: double */
            min: number | null;
            name: string | null;
            /** @description The steps, where they were asked for. */
            points?: components["schemas"]["SensorStep"][] | null;
        };
        /**
         * @description Whether a sensor is heard of.
         * @enum {string}
         */
        SensorState: "fresh" | "stale" | "unknown";
        /** @description The good readings of one sensor in one step. */
        SensorStep: {
            /** Format: int64 */
            at: number;
            /** Format: double */
            max: number;
            /** Format: double */
            mean: number;
            /** Format: double */
            min: number;
        };
        /**
         * @description What is measured.
         * @enum {string}
         */
        SensorType: "temperature" | "humidity" | "soil_moisture" | "ph" | "ec" | "reservoir_level" | "light_intensity" | "co2_level" | "soil_temperature" | "water_temperature" | "leaf_wetness" | "air_pressure" | "line_pressure" | "wind_speed" | "wind_direction" | "rain" | "rain_rate" | "flow" | "volume" | "par" | "uv_index" | "solar_radiation" | "battery" | "voltage" | "current" | "power" | "energy" | "frequency" | "phase_present" | "weight" | "distance" | "co_level" | "nh3_level" | "vapour_pressure_deficit" | "dew_point" | "wet_bulb" | "absolute_humidity" | "daily_light_integral" | "growing_degree_days" | "rate_of_change" | "hours" | "number";
        /** @description A sensor type with its unit and its ranges. */
        SensorTypeRow: {
            /** @description Its name in alert rules. */
            alertName: components["schemas"]["AlertSensor"];
            /**
             * Format: int64
             * @description The greatest value that a rule may compare it with.
             */
            max: number;
            /**
             * Format: int64
             * @description The least value that a rule may compare it with.
             */
            min: number;
            /**
             * Format: int64
             * @description Above this a reading is a fault.
             */
            plausibleMax: number;
            /**
             * Format: int64
             * @description Below this a reading is a fault.
             */
            plausibleMin: number;
            type: components["schemas"]["SensorType"];
            /** @description Its unit; empty where it has none. */
            unit: string;
        };
        /** @description A sign-in. */
        Session: {
            address: string | null;
            /** Format: int64 */
            createdAt: number;
            /** @description Whether it is the one that asks. */
            current: boolean;
            /** Format: int64 */
            expiresAt: number;
            id: string;
            /** Format: int64 */
            lastUsedAt: number;
            /** @description PASSWORD, CODE, REGISTRATION or INVITE */
            method: string;
            userAgent: string | null;
        };
        /** @description The caller's sign-ins. */
        Sessions: {
            /** @description The last used first. */
            sessions: components["schemas"]["Session"][];
        };
        /** @description A new password. */
        SetPassword: {
            password: string;
        };
        /** @description The range in which a measured value should lie. */
        Setpoint: {
            /** @description Not below `min`. */
            max: components["schemas"]["Decimal"];
            min: components["schemas"]["Decimal"];
            sensorType: components["schemas"]["SensorType"];
        };
        /** @description A trigger or a stop condition that compares a signal with a setpoint. */
        SetpointCondition: {
            /**
             * Format: int64
             * @description How long it must hold, in seconds; 300 by default.
             * @default 300
             */
            duration_sec: number;
            /**
             * Format: double
             * @description How much is added to the setpoint; 0 by default.
             * @default 0
             */
            offset: number | null;
            /** @description How it is compared: greater or less, with or without equal. */
            operator: components["schemas"]["Operator"];
            scope?: components["schemas"]["Scope"] | null;
            /** @description What is measured; what the setpoint is a target of. */
            sensor_type: components["schemas"]["SensorType"];
            /** @description The setpoint's id. */
            setpoint: string;
        };
        /** @description A stage of a crop: another course from a date on. */
        SetpointStage: {
            /** @description Its day. */
            course: components["schemas"]["CoursePoint"][];
            /** @description Its first day, `YYYY-MM-DD`; after that of the stage before it. */
            from: string;
            /**
             * Format: int32
             * @description Within so many days, from the course before; 0 by default: at once.
             * @default 0
             */
            ramp_days: number | null;
        };
        /** @description A rule that names a setpoint. */
        SetpointUse: {
            /** @description Whether it steers: its mode is auto and it is deployed. */
            active: boolean;
            /** @description Whether a condition of it compares with the setpoint. */
            compares: boolean;
            /** @description Whether a curve of it follows a signal less the setpoint. */
            follows: boolean;
            id: string;
            name: string;
        };
        /** @description A profile that is shipped. */
        ShippedDeviceProfile: {
            /** @description In TOML: what a profile of one's own begins with. */
            document: string;
            id: string;
            name: string;
            /** @description Where its system documents what it says. */
            source: string;
        };
        /** @description What a condition sees. */
        Sight: {
            /** @description How many of them are fresh. */
            fresh: number;
            /** @description Whether the condition is true of the exact mean; null where that is not known. */
            holds: boolean | null;
            /** @description Whether that is the place that the condition names; else the nearest around it that has a sensor. */
            own: boolean;
            /** @description Where the sensors are, with the names of now. */
            place: components["schemas"]["Scope"];
            /**
             * Format: int64
             * @description When the newest reading of any was taken; null where there never was one.
             */
            readAt: number | null;
            sensors: number;
            /**
             * Format: double
             * @description Their mean, rounded to two decimals; null where none is fresh.
             */
            value: number | null;
        };
        /** @description A new sign-in. */
        SignedIn: {
            /** @description Whether onboarding is still to be done. */
            firstTime: boolean;
            /**
             * @description To be sent as `Authorization: Bearer <token>`. It ends 30 days after its last use, 90
             *     days after it was made, or with POST /auth/logout.
             */
            token: string;
            user: components["schemas"]["User"];
        };
        /** @description A stage of a crop. */
        Stage: {
            /**
             * Format: int64
             * @description How many days it takes, 1 to 1000.
             */
            days: number;
            /** @description Such as "Flowering"; up to 120 characters. */
            name: string;
            /** @description What the crop wants in this time. */
            setpoints?: components["schemas"]["Setpoint"][];
        };
        /** @description A change of the stock of an item. */
        StockMovement: {
            costPaise: components["schemas"]["Paise"] | null;
            cycle: string | null;
            /** @description The crop cycle for which it was used. */
            cycleId: string | null;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            item: string;
            itemId: string;
            kind: components["schemas"]["StockMovementKind"];
            /** @description YYYY-MM-DD */
            movedOn: string;
            note: string | null;
            quantity: components["schemas"]["Decimal"];
            /** @description The item's unit, in which the quantity is. */
            unit: components["schemas"]["Unit"];
        };
        /** @description A movement as people write it. */
        StockMovementInput: {
            costPaise?: components["schemas"]["Paise"] | null;
            cycleId?: string | null;
            itemId: string;
            kind: components["schemas"]["StockMovementKind"];
            movedOn: string;
            note?: string | null;
            /** @description In the item's unit, with up to three decimals. No more can go than there is on that day. */
            quantity: components["schemas"]["Decimal"];
        };
        /**
         * @description What a movement does to the stock.
         * @enum {string}
         */
        StockMovementKind: "IN" | "OUT" | "COUNT";
        /** @description The stops of a person that hold. */
        Stop: {
            by: components["schemas"]["LockOwner"] | null;
            devices: components["schemas"]["StoppedDevice"][];
            /** @description Why, in the person's words, of the latest. */
            reason: string | null;
            /**
             * Format: int64
             * @description Since when, of the latest.
             */
            since: number | null;
        };
        /** @description What stops a rule: a condition, or a tree of them. */
        StopCondition: components["schemas"]["Condition"] | components["schemas"]["SetpointCondition"] | components["schemas"]["ConditionTree"];
        /** @description What is stopped, and why. */
        StopRequest: {
            /**
             * @description The client's own id of this stop, up to 64 bytes: sent again with it, nothing is stopped twice, and the answer says how
             *     far it got.
             */
            id?: string | null;
            /** @description In the person's words; what is beyond 500 characters is left out. */
            reason?: string | null;
            scope: components["schemas"]["StopScope"];
        };
        /** @description What became of a stop until now. */
        StopResult: {
            /** @description The devices that the caller stopped in that scope. */
            devices: components["schemas"]["StoppedDevice"][];
        };
        /** @description What is stopped. */
        StopScope: {
            deviceId: string;
            /** @enum {string} */
            type: "device";
        } | {
            polyhouseId: string;
            /** @enum {string} */
            type: "polyhouse";
        } | {
            /** @enum {string} */
            type: "farm";
        };
        /** @description A device that is stopped. */
        StoppedDevice: {
            deviceId: string;
            /**
             * Format: double
             * @description At how many per cent it goes on where it cannot be reached; null where it goes off.
             */
            leaseEnd: number | null;
            name: string;
            scope: components["schemas"]["Scope"];
            state: components["schemas"]["StoppedState"];
        };
        /**
         * @description How far a stop got at a device.
         * @enum {string}
         */
        StoppedState: "confirmed" | "sent" | "unreachable";
        /** @description The stops that hold. */
        Stops: {
            /** @description By person, the latest first. */
            stops: components["schemas"]["Stop"][];
        };
        /**
         * @description What a server stores things in.
         * @enum {string}
         */
        StoreKind: "journal" | "history";
        /** @description Which farm a client wants to be told of. */
        Subscribe: {
            farmId: string;
        };
        /** @description The acknowledgement of a subscription. */
        Subscribed: components["schemas"]["Taken"] | components["schemas"]["Refusal"];
        /** @description Somebody who is told. */
        Subscriber: {
            /** @description The e-mail address. */
            email: string;
        };
        /** @description The sun over the farm. */
        Sun: {
            days: components["schemas"]["SunDay"][];
            /** @description Whether it is known where the farm is; without that there are no days. */
            known: boolean;
        };
        /** @description The sun on a day of the farm. */
        SunDay: {
            /** @description `polar_day` or `polar_night` where it neither rises nor sets. */
            allDay: string | null;
            /** @description YYYY-MM-DD */
            day: string;
            /**
             * Format: int64
             * @description Null where it does not rise on that day.
             */
            sunrise: number | null;
            /**
             * Format: int64
             * @description Null where it does not set on that day.
             */
            sunset: number | null;
        };
        /**
         * @description Sunrise or sunset.
         * @enum {string}
         */
        SunEvent: "sunrise" | "sunset";
        /** @description So many minutes after the sun rises or sets. */
        SunMoment: {
            /**
             * Format: int32
             * @description How many; before it where below zero.
             * @default 0
             */
            offset_min: number;
            /** @description Which. */
            sun: components["schemas"]["SunEvent"];
        };
        /** @description Something that a device can do, as its controller announced it. */
        SupportedAction: {
            /** @description Its name. */
            action: components["schemas"]["ActionName"];
            /**
             * Format: double
             * @description The largest value.
             */
            maxValue?: number | null;
            /**
             * Format: double
             * @description The smallest value.
             */
            minValue?: number | null;
            /** @description percentage, seconds or ml_per_sec. */
            parameterType?: string | null;
        };
        /** @description Numbers of an unknown sender, as a person confirmed them. */
        TakeOver: {
            /** @description The MAC of the controller whose account sends them. */
            controller: string;
            format: components["schemas"]["UnknownFormat"];
            /** @description 1 to 64. */
            numbers: components["schemas"]["TakenNumber"][];
            /** @description The topics, as the group of unknown senders has them. */
            pattern: string;
            scope?: components["schemas"]["Scope"] | null;
            /** @description Those of which sensors are to be known at once; at most 32. */
            topics: string[];
        };
        /** @description The farm that the client is told of from now on. */
        Taken: {
            farmId: string;
            /** @description True. */
            ok: boolean;
        };
        /** @description A number that is taken over. */
        TakenNumber: {
            /** @description Where it stands; empty of a message that is the number. */
            at: string;
            /** @description What the sensor is to be called, up to 120 characters. */
            name?: string | null;
            type: components["schemas"]["SensorType"];
            /** @description Its unit; without one that of the type. */
            unit?: string | null;
        };
        /** @description What was taken over. */
        TakenOver: {
            /** @description The id of the profile by which it is read from now on. */
            profile: string;
            /** @description The ids of the sensors that are known now, in the order of topics and numbers. */
            sensors: string[];
        };
        /** @description A task. */
        Task: {
            about: components["schemas"]["TaskAbout"] | null;
            assignee: components["schemas"]["Assignee"] | null;
            /** @description In the farm's own words. */
            category: string | null;
            /** Format: int64 */
            createdAt: number;
            description: string | null;
            /** @description The last day on which it is not overdue, YYYY-MM-DD, in the farm's time. */
            dueDate: string;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            /** @description Not closed, and due before today in the farm's time. */
            isOverdue: boolean;
            /** @description What whoever does it says of it. */
            note: string | null;
            /**
             * Format: int64
             * @description When its photo was kept, which is at .../tasks/{taskId}/photo; null for none.
             */
            photoAt: number | null;
            priority: components["schemas"]["TaskPriority"];
            status: components["schemas"]["TaskStatus"];
            title: string;
            /** Format: int64 */
            updatedAt: number;
        };
        /** @description What a task is about. */
        TaskAbout: {
            id: string;
            kind: components["schemas"]["TaskAboutKind"];
            /** @description Null once it is gone from the farm. */
            name: string | null;
        };
        /** @description What a task is about, as people write it. */
        TaskAboutInput: {
            /** @description One of the farm's. */
            id: string;
            kind: components["schemas"]["TaskAboutKind"];
        };
        /**
         * @description What a task may be about.
         * @enum {string}
         */
        TaskAboutKind: "CROP_CYCLE" | "ZONE" | "DEVICE";
        /** @description A task as people write it. */
        TaskInput: {
            about?: components["schemas"]["TaskAboutInput"] | null;
            /** @description One of GET .../assignees. */
            assigneeId?: string | null;
            /** @description In the farm's own words, up to 60 characters. */
            category?: string | null;
            /** @description Up to 4000 characters. */
            description?: string | null;
            /**
             * @description The last day on which it is not overdue, YYYY-MM-DD, in the farm's time.
             * @example 2026-01-31
             */
            dueDate: string;
            priority?: components["schemas"]["TaskPriority"] | null;
            status?: components["schemas"]["TaskStatus"] | null;
            /** @description 1 to 200 characters. */
            title: string;
        };
        /** @description Where a task goes. */
        TaskMove: {
            /** @description The task right above; null is the top of the column. One that has left the column meanwhile: the column's end. */
            afterId: string | null;
            status: components["schemas"]["TaskStatus"];
        };
        /**
         * @description How much a task presses.
         * @enum {string}
         */
        TaskPriority: "URGENT" | "HIGH" | "MEDIUM" | "LOW";
        /**
         * @description The column of a task.
         * @enum {string}
         */
        TaskStatus: "OPEN" | "IN_PROGRESS" | "IN_REVIEW" | "CLOSED";
        /** @description Tasks, counted. */
        TaskSummary: {
            /** Format: int64 */
            closed: number;
            /** Format: int64 */
            inProgress: number;
            /** Format: int64 */
            inReview: number;
            /** Format: int64 */
            open: number;
            /**
             * Format: int64
             * @description Not closed, and due before today in the farm's time; counted in their status too.
             */
            overdue: number;
            /** Format: int64 */
            total: number;
        };
        /** @description A mean over the farm. */
        TelemetryMean: {
            /**
             * Format: int64
             * @description When the newest of its readings was taken.
             */
            at: number;
            optimal: components["schemas"]["Range"] | null;
            unit: string;
            /**
             * Format: double
             * @description Rounded to two decimals.
             */
            value: number;
            worst: components["schemas"]["WorstReading"] | null;
        };
        /** @description A crop with its stages, from which cycles are begun. */
        Template: {
            crop: string;
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            name: string;
            stages: components["schemas"]["Stage"][];
            variety: string | null;
        };
        /** @description A template as people write it. */
        TemplateInput: {
            /** @description 1 to 120 characters. */
            crop: string;
            /** @description 1 to 120 characters. */
            name: string;
            /** @description 1 to 20. */
            stages: components["schemas"]["Stage"][];
            variety?: string | null;
        };
        /** @description Which way to try. */
        TestDelivery: {
            channel: components["schemas"]["DeliveryChannel"];
        };
        /** @description From a moment of a day to the next other one; it may pass midnight. */
        TimeWindow: {
            /** @description When it begins. */
            from: components["schemas"]["Moment"];
            /** @description When it is over. */
            to: components["schemas"]["Moment"];
        };
        /** @description A token of a program. */
        Token: {
            /** Format: int64 */
            createdAt: number;
            /** @description Whether its time is over. */
            expired: boolean;
            /**
             * Format: int64
             * @description None of one that does not end by itself.
             */
            expiresAt: number | null;
            /** @description The farms that it is for; those that its owner left are gone from it. */
            farms: string[];
            id: string;
            /**
             * Format: int64
             * @description To 10 minutes; none before its first use.
             */
            lastUsedAt: number | null;
            name: string;
            scope: components["schemas"]["TokenScope"];
            /**
             * @description Its first characters.
             * @example harit_3f09ab
             */
            start: string;
        };
        /** @description A token to be made. */
        TokenRequest: {
            /**
             * Format: int64
             * @description When it ends, at most five years from now; without one it does not end by itself.
             */
            expiresAt?: number | null;
            /** @description Farms of the caller's: at least one. */
            farms: string[];
            /** @description 1 to 80 characters. */
            name: string;
            scope: components["schemas"]["TokenScope"];
        };
        /**
         * @description How much a token allows, of what its owner may.
         * @enum {string}
         */
        TokenScope: "READ" | "CONTROL";
        /** @description The caller's tokens. */
        Tokens: {
            /** @description The oldest first; those that have ended stay until they are removed, or make room. */
            tokens: components["schemas"]["Token"][];
        };
        /** @description How somebody is told; what they chose. */
        ToldChoice: {
            quiet: components["schemas"]["QuietHours"] | null;
            /** @description EMAIL, SMS, WHATSAPP, PUSH; null leaves it to each alert. */
            ways: string[] | null;
        };
        /** @description Something that announces itself in a message. */
        TriedAnnouncement: {
            /** @description The controller's own id of it. */
            id: string;
            type: components["schemas"]["SensorType"] | null;
        };
        /** @description A device that a message tells of. */
        TriedDevice: {
            /** @description The controller's own id of it. */
            id: string;
            on: boolean;
        };
        /** @description A reading that a message becomes. */
        TriedReading: {
            /**
             * Format: int64
             * @description When it was true, in milliseconds since 1970; null is the arrival.
             */
            at: number | null;
            /** @description The controller's own id of the sensor. */
            id: string;
            /** @description Whether the value lies in the plausible range of the type; one that does not is a fault. */
            plausible: boolean;
            type: components["schemas"]["SensorType"];
            /**
             * Format: double
             * @description In the type's unit; null where it is a fault.
             */
            value: number | null;
        };
        /** @description What starts a rule: a condition, a tree of them, or a schedule. */
        Trigger: components["schemas"]["Condition"] | components["schemas"]["SetpointCondition"] | components["schemas"]["Scheduled"] | components["schemas"]["ConditionTree"];
        /** @description What starts or stops a rule, as far as it is written. */
        TriggerDraft: components["schemas"]["ConditionDraft"] | Record<string, never>;
        /**
         * @description Whether something is so.
         * @enum {string}
         */
        Truth: "true" | "false" | "unknown";
        /**
         * @description In what something is counted.
         * @enum {string}
         */
        Unit: "KG" | "G" | "L" | "ML" | "PIECE" | "PACKET" | "BAG" | "BOX" | "BUNCH" | "M";
        /**
         * @description On what a proposal stands.
         * @enum {string}
         */
        UnknownBasis: "name" | "unit" | "announced";
        /**
         * @description How messages are written.
         * @enum {string}
         */
        UnknownFormat: "json" | "text";
        /**
         * @description What holds while it is not known whether machines may run.
         * @enum {string}
         */
        UnknownHours: "hold" | "allow";
        /** @description A number of a message. */
        UnknownNumber: {
            /** @description Where it stands; empty of a message that is the number. */
            at: string;
            basis: components["schemas"]["UnknownBasis"] | null;
            /** @description The key or the level of the topic that names it. */
            key: string;
            /** @description What the device calls it. */
            name: string | null;
            /** @description Whether the farm reads it by now. */
            read: boolean;
            /** @description Whether type and unit need no second look. */
            sure: boolean;
            /** @description What it can be, the likeliest first. */
            types: components["schemas"]["SensorType"][];
            /** @description Its unit, as far as that is known. */
            unit: string | null;
            /** @description As it is written; null where it was announced and not heard. */
            value: string | null;
        };
        /** @description Messages that look alike, of one controller. */
        UnknownSender: {
            /** @description The MAC of the controller whose account sent them; null of messages from before that was kept. */
            controller: string | null;
            /** Format: int64 */
            count: number;
            /** Format: int64 */
            firstAt: number | null;
            format: components["schemas"]["UnknownFormat"] | null;
            /** Format: int64 */
            lastAt: number | null;
            /** @description What it says that it is. */
            model: string | null;
            /** @description What the device calls itself. */
            name: string | null;
            /** @description Its numbers, those first of which it can be said what they are. */
            numbers: components["schemas"]["UnknownNumber"][];
            /** @description Their topics as one: levels that vary are captures. */
            pattern: string;
            /** @description The latest one, of at most 4,096 bytes; null where messages were announced and none was heard. */
            payload: string | null;
            /** @description Some of them, the latest first. */
            topics: string[];
        };
        /** @description What nobody reads yet. */
        UnknownSenders: {
            /**
             * Format: int64
             * @description How many messages and groups are not listed, because there are too many different ones.
             */
            overflow: number;
            senders: components["schemas"]["UnknownSender"][];
        };
        /** @description Which lock is opened, and why. */
        Unlock: {
            kind?: components["schemas"]["LockKind"] | null;
            /** @description That somebody made sure of it. Nothing is opened without. */
            nobodyAtTheMachine?: boolean;
            /** @description In the person's words, up to 500 characters; it stands in the log. The engine's own locks need one. */
            reason?: string | null;
            /** @description Whose, of a stop or a person's lock: null for one of nobody by name; not needed where there is one. */
            userId?: string | null;
        };
        /** @description A user. */
        User: {
            /** Format: int64 */
            createdAt: number;
            email: string | null;
            /** @description Whether the address was shown to be theirs, by a code or a link that was sent to it: only then does it sign in by code. */
            emailVerified: boolean;
            id: string;
            isActive: boolean;
            /** @description en, hi or mr. */
            languagePref: string;
            name: string;
            onboardingCompleted: boolean;
            /** @description What takes the address's place once it is verified. */
            pendingEmail: string | null;
            pendingPhone: string | null;
            phone: string | null;
            phoneVerified: boolean;
            role: components["schemas"]["Role"] | null;
        };
        /**
         * @description How a place stands, worst first.
         * @enum {string}
         */
        Verdict: "not_known" | "danger" | "out_of_range" | "by_hand" | "well" | "not_set_up";
        /**
         * @description The one act that helps.
         * @enum {string}
         */
        VerdictAct: "call_operator" | "check_controller" | "check_sensor" | "check_device" | "remove" | "see_alert" | "see_day" | "unlock" | "give_back" | "start_rule";
        /** @description A reason of a verdict. */
        VerdictReason: {
            /** @description The one act that helps. */
            act: components["schemas"]["VerdictAct"];
            /** @description The polyhouse; null for the farm. */
            polyhouseId: string | null;
            /**
             * Format: int64
             * @description Since when, as far as that is known.
             */
            since: number | null;
            /** @description What the place is for this reason alone. */
            verdict: components["schemas"]["Verdict"];
            what: components["schemas"]["VerdictWhat"];
        };
        /** @description What a reason is about. */
        VerdictWhat: {
            /** @enum {string} */
            kind: "no_answer";
        } | {
            /** @enum {string} */
            kind: "cannot_write";
            store: components["schemas"]["StoreKind"];
        } | {
            /** @enum {string} */
            kind: "engine_failed";
        } | {
            /** @description Its MAC id. */
            controller: string;
            devices: number;
            /** @enum {string} */
            kind: "controller_offline";
            sensors: number;
        } | {
            /** @enum {string} */
            kind: "no_signal";
            /** @description How many the place has. */
            of: number;
            sensor_type: components["schemas"]["SensorType"];
            /** @description The first few of the silent ones. */
            sensors: components["schemas"]["NamedThing"][];
            silent: number;
        } | {
            /** @description Whether all that it drives were last told to be off. */
            all_off: boolean;
            /** @description The first few of those that it drives. */
            devices: components["schemas"]["NamedThing"][];
            /** @enum {string} */
            kind: "rule_blind";
            rule: components["schemas"]["NamedThing"];
            sensor_type: components["schemas"]["SensorType"];
        } | {
            alert: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "alert_blind";
            /** @description Whether it is raised all the same. */
            raised: boolean;
        } | {
            /** @enum {string} */
            kind: "sensor_gone";
            sensor: components["schemas"]["NamedThing"];
            sensor_type: components["schemas"]["SensorType"];
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "device_gone";
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "device_offline";
        } | {
            /** @description Who locked it, where it was a person. */
            by: string | null;
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "locked";
            lock: components["schemas"]["LockKind"];
            /** @description The lock's own reason. */
            reason: string;
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "not_following";
        } | {
            alert: components["schemas"]["NamedThing"];
            critical: boolean;
            /** @enum {string} */
            kind: "alert_raised";
        } | {
            /**
             * Format: double
             * @description The most.
             */
            high: number;
            /** @enum {string} */
            kind: "outside_range";
            /**
             * Format: double
             * @description The least that they want.
             */
            low: number;
            sensor_type: components["schemas"]["SensorType"];
            /**
             * Format: double
             * @description The mean, rounded to two decimals.
             */
            value: number;
        } | {
            /** @description Who. */
            by: string | null;
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "override";
            /** @description Whether it is to be on. */
            on: boolean;
            /**
             * Format: int64
             * @description Until when.
             */
            until: number;
        } | {
            device: components["schemas"]["NamedThing"];
            /** @enum {string} */
            kind: "safety";
        } | {
            draft: boolean;
            /** @enum {string} */
            kind: "rule_off";
            rule: components["schemas"]["NamedThing"];
        };
        /** @description A code that was sent to such a contact. */
        VerifyContact: {
            contact: string;
            /** @example 123456 */
            otp: string;
        };
        /** @description A code as typed. */
        VerifyEmailOtp: {
            /** @example 123456 */
            code: string;
            email: string;
        };
        /** @description A code as typed. */
        VerifyOtp: {
            contact: string;
            /** @example 123456 */
            otp: string;
        };
        /** @description The weather, rounded to two decimals; null where the source does not say. */
        Weather: {
            /**
             * Format: int64
             * @description When it was so.
             */
            at: number | null;
            /**
             * Format: double
             * @description Air temperature, °C.
             */
            current: number | null;
            /**
             * Format: double
             * @description Apparent temperature, °C.
             */
            feelsLike: number | null;
            /**
             * Format: double
             * @description Relative humidity, %.
             */
            humidity: number | null;
            /**
             * Format: double
             * @description Pressure at sea level, hPa.
             */
            pressure: number | null;
            /** @description Why there is none, in the caller's language. */
            reason: string | null;
            source: components["schemas"]["WeatherSource"];
            /**
             * Format: double
             * @description Wind speed, km/h.
             */
            wind: number | null;
        };
        /**
         * @description Where weather comes from.
         * @enum {string}
         */
        WeatherSource: "provider" | "farm" | "simulator" | "none";
        /**
         * @description A weekday.
         * @enum {string}
         */
        Weekday: "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";
        /** @description What kept a rule from acting in a span. */
        WhyNot: {
            /**
             * Format: int32
             * @description How often it was changed; its parts are those of its last form.
             */
            edits: number;
            /** @description How often it fired. */
            fired: number;
            /** Format: int64 */
            from: number;
            /**
             * Format: int64
             * @description How long it was off or a draft.
             */
            inactive_ms: number;
            leaves: components["schemas"]["WhyNotLeaf"][];
            /** @description How much more of that there is. */
            more: number;
            nearest: components["schemas"]["WhyNotNearest"] | null;
            /** Format: int64 */
            ran_ms: number;
            rule: string;
            /** @description What there is to say, a sentence each. */
            text: string[];
            /** Format: int64 */
            to: number;
            /** @description What it did and tried, the earliest first; at most 200. */
            tried: components["schemas"]["WhyNotTried"][];
        };
        /** @description A part of a condition over a span. */
        WhyNotLeaf: {
            /** Format: int64 */
            false_ms: number;
            /** Format: double */
            highest: number | null;
            /** @description How long it was not true, a sentence each. */
            kept: string[];
            /** Format: double */
            lowest: number | null;
            /**
             * Format: double
             * @description The mean that came nearest to making it true, while it was false.
             */
            nearest: number | null;
            /** Format: int64 */
            nearest_at: number | null;
            node: number;
            part: components["schemas"]["ExplanationPartRole"];
            /** @description What it says. */
            text: string;
            /** Format: int64 */
            true_ms: number;
            /** Format: int64 */
            unknown_ms: number;
            /**
             * Format: double
             * @description Where it alone decides: with this as its limit the rule would have acted.
             */
            would_have_acted_at: number | null;
        };
        /** @description When a rule came nearest to starting. */
        WhyNotNearest: {
            /** Format: int64 */
            at: number;
            /** Format: int64 */
            held_ms: number;
            /** Format: int64 */
            length_ms: number;
            /** Format: int32 */
            samples: number;
            /** Format: int32 */
            samples_needed: number;
        };
        /** @description Something that a rule did or tried. */
        WhyNotTried: {
            /** Format: int64 */
            at: number;
            /** @description Why not, as in events. */
            reason: string | null;
            what: components["schemas"]["WhyNotTriedKind"];
        };
        /**
         * @description What a rule did or tried.
         * @enum {string}
         */
        WhyNotTriedKind: "fired" | "stopped" | "blocked" | "skipped" | "suppressed" | "held";
        /** @description What a worker has to do, and to look after. */
        Work: {
            /** @description The devices that he was given and may switch, by name. */
            devices: components["schemas"]["WorkDevice"][];
            /** @description The houses that he was given, by name. */
            houses: components["schemas"]["WorkHouse"][];
            /** @description The caller's tasks that are not over, and those that he finished today: overdue ones first, then by day. */
            tasks: components["schemas"]["Task"][];
        };
        /**
         * @description What a worker asks of a device.
         * @enum {string}
         */
        WorkAction: "on" | "off" | "pulse" | "release";
        /** @description What a worker asks of a device that he was given. */
        WorkCommand: {
            action: components["schemas"]["WorkAction"];
            deviceId: string;
            /**
             * Format: int64
             * @description How long: 60 to 1800 for on and off, 1 to 60 for a pulse, nothing for a release.
             */
            durationSec?: number | null;
        };
        /** @description A device that the caller may switch. */
        WorkDevice: components["schemas"]["Device"] & {
            /** @description Whether it is the caller who has it until `state.manualOverrideUntil`, and may give it back to the rules. */
            own: boolean;
        };
        /** @description How a house stands, with what is measured in it. */
        WorkHouse: components["schemas"]["HouseVerdict"] & {
            /** @description As `houses` in the latest telemetry. */
            latest: {
                [key: string]: components["schemas"]["HouseMean"];
            };
        };
        /**
         * @description How far a worker is.
         * @enum {string}
         */
        WorkStep: "open" | "begun" | "finished";
        /** @description What changes of a task; what is left out stays. */
        WorkTaskChange: {
            /** @description What the worker says of it, up to 1000 characters; blank takes it away. */
            note?: string | null;
            step?: components["schemas"]["WorkStep"] | null;
        };
        /** @description The value that a mean hides. */
        WorstReading: {
            /** @description The reservoir's name, or the sensor's. */
            name: string;
            optimal: components["schemas"]["Range"];
            /** Format: double */
            value: number;
        };
        /** @description A zone. */
        Zone: {
            /** @description The version of what people edit, for `If-Match`. */
            etag: string;
            id: string;
            name: string;
        };
        /** @description A zone as it is to be. */
        ZoneInput: {
            /** @description 1 to 120 characters, and no other zone's of the polyhouse. */
            name: string;
        };
    };
    responses: {
        /** @description It cannot be read */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request with this Idempotency-Key is under way, or its outcome is unknown */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller's role in the farm, or the program's token, does not allow it */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It does not exist, or belongs to another farm */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Somebody else changed it meanwhile; `current` is what it is now */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server is busy or stopping; ask again */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests; Retry-After says how many seconds to wait */
        TooManyRequests: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not signed in, or no longer */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Read and refused: the problems name each field that is wrong */
        UnprocessableEntity: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not said to be JSON */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description 1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day */
        IdempotencyKey: string;
        /** @description The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now */
        IfMatch: string;
        alertId: string;
        browserId: string;
        commandId: string;
        cycleId: string;
        derivedId: string;
        /** @description `/` in an id is written `%2F` */
        deviceId: string;
        expenseId: string;
        farmId: string;
        groupId: string;
        harvestId: string;
        id: string;
        incidentId: string;
        integrationId: string;
        itemId: string;
        macid: string;
        movementId: string;
        name: string;
        noteId: string;
        notificationId: string;
        nurseryId: string;
        polyhouseId: string;
        profileId: string;
        reservoirId: string;
        ruleId: string;
        saleId: string;
        /** @description `/` in an id is written `%2F` */
        sensorId: string;
        setpointId: string;
        taskId: string;
        templateId: string;
        token: string;
        tokenId: string;
        userId: string;
        zoneId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The version of what people edit, in quotes */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
