"""Where requests become answers, for every service and protocol."""

import base64
from typing import Any

from exchange import Answer, Finding, Plans, Request, Service
from records import Records


class Desk:
    """Examines a request, answers as is planned, and writes both down."""

    def __init__(self, service: Service, plans: Plans, records: Records) -> None:
        self._service, self._plans, self._records = service, plans, records

    def handle(self, request: Request) -> Answer:
        finding = self._service.examine(request)
        planned: dict[str, Any] = {}
        if finding.refusal is None:
            planned = self._plans.take(self._service.name, finding.key)
            answer = self._service.answer(request, finding, planned)
            answer.fault = planned.get("fault")
            answer.milliseconds = planned.get("ms", 0)
        else:
            answer = finding.refusal
        is_taken = finding.refusal is None and planned.get("taken", self._is_taken(answer))
        if is_taken:
            self._service.deliver(request, finding)
        self._write(request, finding, answer, is_taken)
        return answer

    @staticmethod
    def _is_taken(answer: Answer) -> bool:
        """With `"taken": true` in a plan the answer is lost, and not the notification."""
        return 200 <= answer.status < 300 and answer.fault in (None, "slow", "midway", "goaway-after", "endless")

    def _write(self, request: Request, finding: Finding, answer: Answer, is_taken: bool) -> None:
        try:
            body = {"body": request.body.decode()}
        except UnicodeDecodeError:
            body = {"body_base64": base64.b64encode(request.body).decode()}
        self._records.add({
            "service": self._service.name, "key": finding.key, "method": request.method, "path": request.path,
            "protocol": request.protocol, "connection": request.connection, "stream": request.stream,
            "headers": request.headers, **body, **finding.details, "is_valid": finding.refusal is None,
            "complaints": finding.complaints, "status": answer.status, "fault": answer.fault,
            "answer": answer.body.decode(errors="replace"), "taken": is_taken,
        })  # fmt: skip
